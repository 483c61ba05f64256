/** The sequence of play in parts: consecutive phases of one side form a part. */

import type { PhaseInfo } from "../lib/types";

export type Progress = "done" | "now" | "later";

export interface Part {
  side: string | null;
  state: Progress;
  phases: { index: number; name: string; rule: string; state: Progress }[];
}

/** Return the parts of a turn, each done, current or later. */
export function turnsOf(phases: readonly PhaseInfo[], current: string): Part[] {
  const at = phases.findIndex(({ name }) => name === current);
  const parts: Part[] = [];
  phases.forEach(({ name, rule, side }, index) => {
    const state: Progress = at < 0 || index > at ? "later" : index === at ? "now" : "done";
    const last = parts.at(-1);
    if (last && last.side === side) last.phases.push({ index, name, rule, state });
    else parts.push({ side, state, phases: [{ index, name, rule, state }] });
  });
  for (const part of parts) {
    const states = part.phases.map(({ state }) => state);
    part.state = states.includes("now") ? "now" : states.every((state) => state === "done") ? "done" : "later";
  }
  return parts;
}
