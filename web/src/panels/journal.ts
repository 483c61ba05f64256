/** The log in chapters, one per phase. */

import type { LogLine } from "../lib/types";

/** A line of the log; `number` is its index in the whole log. */
export interface Entry extends LogLine {
  number: number;
}

/** Consecutive rolls without effect, shown as one line. */
export interface Folded {
  key: string;
  routine: Entry[];
}

/** The lines of one phase. */
export interface Chapter {
  key: string;
  turn: number;
  phase: string;
  /** The click at which a replay of the chapter starts. */
  click: number;
  entries: Entry[];
}

/** Which lines to show. */
export interface Filter {
  text: string;
  rolls: boolean;
}

/** Return the log in chapters by phase. A line without a phase belongs to the chapter before it. */
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

/** Return the entries with runs of routine rolls folded. A single one stays as it is: folding would save nothing. */
export function foldRoutine(entries: readonly Entry[]): (Entry | Folded)[] {
  const shown: (Entry | Folded)[] = [];
  let run: Entry[] = [];
  const flush = (): void => {
    if (run.length > 1) shown.push({ key: `routine ${run[0]!.number}`, routine: run });
    else shown.push(...run);
    run = [];
  };
  for (const entry of entries) {
    if (entry.note === "routine") run.push(entry);
    else {
      flush();
      shown.push(entry);
    }
  }
  flush();
  return shown;
}
