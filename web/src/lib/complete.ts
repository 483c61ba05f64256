/** The server leaves out of a question what is empty; here it is put back. */

import type { Question, SparseView, View } from "./types";

const EMPTY: Omit<Question, "side" | "number"> = {
  prompt: "", rule: "", units: {}, hexes: {}, boxes: {}, buttons: [], about: [], moves: [], reach: {}, sheets: [],
};

export const complete = (view: SparseView): View => ({ ...view, question: view.question ? { ...EMPTY, ...view.question } : null });
