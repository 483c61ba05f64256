/** The server leaves out of a question what is empty; here it is put back. */

import type { Question, SparseView, View } from "./types";

const EMPTY: Omit<Question, "side" | "number"> = {
  kind: "", prompt: "", rule: "", units: {}, hexes: {}, boxes: {}, buttons: [], blocked: [], can_act: [], warnings: {}, about: [], moves: [], undoable: false, reach: {}, sheets: [],
};

export const complete = (view: SparseView): View => ({ ...view, question: view.question ? { ...EMPTY, ...view.question } : null });
