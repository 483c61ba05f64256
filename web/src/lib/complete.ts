/** Fill in the empty fields that the server leaves out of a decision, and unfold the columns of its path preview. */

import type { Question, ReachColumns, ReachStep, SparseQuestion, SparseView, View } from "./types";

const EMPTY: Omit<Question, "side" | "number"> = {
  kind: "", prompt: "", rule: "", units: {}, hexes: {}, boxes: {}, buttons: [], blocked: [], can_act: [], warnings: {}, about: [], moves: [], undoable: false, reach: {}, sheets: [], orders: [],
};

export const complete = (view: SparseView): View => ({ ...view, question: completeQuestion(view.question) });

export function completeQuestion(question: SparseQuestion | null): Question | null {
  return question && { ...EMPTY, ...question, reach: question.reach ? unfold(question.reach) : EMPTY.reach };
}

/** The steps of a path preview by location. */
export function unfold({ at, cost, left, before, words, how, paths }: ReachColumns): Record<string, ReachStep> {
  const steps: Record<string, ReachStep> = {};
  for (let i = 0; i < cost.length; i++) steps[at[i]!] = { cost: cost[i]!, left: left[i]!, before: at[before[i]!] ?? "", how: words[how[i]!]! };
  for (const name in paths) steps[name]!.path = paths[name]!.map((index) => at[index]!);
  return steps;
}
