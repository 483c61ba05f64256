/** Fill in the empty fields that the server leaves out of a decision. */

import type { Question, SparseView, View } from "./types";

const EMPTY: Omit<Question, "side" | "number"> = {
  kind: "", prompt: "", rule: "", units: {}, hexes: {}, boxes: {}, buttons: [], blocked: [], can_act: [], warnings: {}, about: [], moves: [], undoable: false, reach: {}, sheets: [], orders: [],
};

export const complete = (view: SparseView): View => ({ ...view, question: view.question ? { ...EMPTY, ...view.question } : null });
