/** The log as chapters: one for each phase, with what was rolled and by which rule. */

import type { LogLine } from "../lib/types";

/** One line as it is shown; `number` is its place in the whole log. */
export interface Entry extends LogLine {
  number: number;
}

/** What happened in one phase. */
export interface Chapter {
  key: string;
  turn: number;
  phase: string;
  /** The click before its first line, where a replay can begin. */
  click: number;
  entries: Entry[];
}

/** What of the log is wanted. */
export interface Filter {
  text: string;
  rolls: boolean;
}

/** The log cut into chapters, each of the phase in which its lines happened; what has no phase is told with what came before. */
export function chapters(log: readonly LogLine[], from: number, filter: Filter = { text: "", rolls: false }): Chapter[] {
  const wanted = filter.text.trim().toLowerCase();
  const found: Chapter[] = [];
  let [turn, phase] = [0, ""];
  log.forEach((line, index) => {
    if (line.phase) [turn, phase] = [line.turn ?? 0, line.phase];
    if (filter.rolls && (line.roll ?? null) === null) return;
    if (wanted && !`${line.text} ${line.rule}`.toLowerCase().includes(wanted)) return;
    const number = from + index;
    let chapter = found.at(-1);
    if (!chapter || chapter.turn !== turn || chapter.phase !== (phase || "Set-up")) {
      chapter = { key: `${turn}/${phase}/${number}`, turn, phase: phase || "Set-up", click: line.click, entries: [] };
      found.push(chapter);
    }
    chapter.entries.push({ ...line, number });
  });
  return found;
}
