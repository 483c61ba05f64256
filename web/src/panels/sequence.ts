/** The sequence of play in parts: consecutive phases of one side form a part. */

import type { PhaseInfo } from "../lib/types";

export type Progress = "done" | "now" | "later";

export interface Part {
  side: string | null;
  /** The side, and what the names of its phases begin with besides it: "Red, impulse 2". */
  title: string;
  state: Progress;
  /** `short` is the name without what the title says. */
  phases: { index: number; name: string; short: string; rule: string; state: Progress }[];
}

/** Return the words with which all names begin, always leaving one of each. */
function commonWords(names: readonly string[]): string[] {
  const all = names.map((name) => name.split(" "));
  const first = all[0] ?? [];
  const differs = first.findIndex((word, at) => all.some((words) => words[at] !== word || at >= words.length - 1));
  return first.slice(0, differs < 0 ? first.length : differs);
}

/** Return the parts of a turn, each done, current or later. */
export function turnsOf(phases: readonly PhaseInfo[], current: string): Part[] {
  const at = phases.findIndex(({ name }) => name === current);
  const parts: Part[] = [];
  phases.forEach(({ name, rule, side }, index) => {
    const state: Progress = at < 0 || index > at ? "later" : index === at ? "now" : "done";
    const last = parts.at(-1);
    if (last && last.side === side) last.phases.push({ index, name, short: name, rule, state });
    else parts.push({ side, title: side ?? "Both sides", state, phases: [{ index, name, short: name, rule, state }] });
  });
  for (const part of parts) {
    const states = part.phases.map(({ state }) => state);
    const shared = part.side && part.phases.length > 1 ? commonWords(part.phases.map(({ name }) => name)) : [];
    const besides = shared.filter((word) => word.toLowerCase() !== part.side?.toLowerCase());
    if (besides.length) {
      part.title += `, ${besides.join(" ")}`;
      for (const phase of part.phases) phase.short = phase.name.split(" ").slice(shared.length).join(" ");
    }
    part.state = states.includes("now") ? "now" : states.every((state) => state === "done") ? "done" : "later";
  }
  return parts;
}
