/** The log as chapters: one for each phase, with what was rolled and by which rule. */

import type { LogLine, Moment } from "../lib/types";

/** One line as it is shown; `number` is its place in the whole log. */
export interface Entry extends LogLine {
  number: number;
}

/** What happened in one phase. */
export interface Chapter {
  key: string;
  turn: number;
  phase: string;
  side: string | null;
  /** The first click of the phase, where a replay can begin. */
  click: number;
  entries: Entry[];
}

/** What of the log is wanted. */
export interface Filter {
  text: string;
  rolls: boolean;
}

/**
 * The log cut into chapters at the moments where a phase began. A line that came with the click which ended a phase is told
 * with the phase it belongs to: that of the last moment at or before its click.
 */
export function chapters(
  log: readonly LogLine[],
  from: number,
  moments: readonly Moment[],
  filter: Filter = { text: "", rolls: false },
): Chapter[] {
  const starts = moments.filter(({ kind }) => kind === "phase");
  const wanted = filter.text.trim().toLowerCase();
  const found: Chapter[] = [];
  let [at, current]: [number, Chapter | null] = [-1, null];
  log.forEach((line, index) => {
    while (at + 1 < starts.length && starts[at + 1]!.click <= line.click) at += 1;
    if (filter.rolls && (line.roll ?? null) === null) return;
    if (wanted && !`${line.text} ${line.rule}`.toLowerCase().includes(wanted)) return;
    const start = starts[at];
    const key = start ? `${start.turn}/${start.click}/${start.phase}` : "start";
    if (!current || current.key !== key) {
      current = {
        key,
        turn: start?.turn ?? 0,
        phase: start?.phase ?? "Set-up",
        side: start?.side ?? null,
        click: start?.click ?? 0,
        entries: [],
      };
      found.push(current);
    }
    current.entries.push({ ...line, number: from + index });
  });
  return found;
}
