/** The log of the last move or combat, and which combat was resolved. */

import type { LogLine, OddsView, Question, View } from "./types";

/** The log of the move or combat that began after a number of clicks. */
export function toldSince(log: readonly LogLine[], began: number): LogLine[] {
  return log.slice(log.findLastIndex(({ click }) => click <= began) + 1);
}

/** The lines without the rolls that had no effect, and how many those are. A single one stays. */
export function withoutIdle(lines: readonly LogLine[]): { told: LogLine[]; idle: number } {
  const told = lines.filter(({ note }) => note !== "routine");
  const idle = lines.length - told.length;
  return idle > 1 ? { told, idle } : { told: [...lines], idle: 0 };
}

/** Whether lines name a hex that was attacked in a combat. */
export const isToldOf = (sheet: OddsView | null, lines: readonly LogLine[]): boolean =>
  !!sheet?.targets.some((at) => lines.some(({ text }) => text.includes(at)));

/**
 * The combat that was fought between two questions: one that is on the table no more, and that was clicked, asked about or is told
 * of. One that was decided without a roll must be told of, and its hex no longer attacked.
 */
export function resolved(before: Question | null, after: Question | null, lines: readonly LogLine[], clicked: string | null = null): OddsView | null {
  const gone = (before?.sheets ?? []).filter((sheet) => !after?.sheets.some(({ title }) => title === sheet.title));
  if (!lines.some(({ roll }) => roll != null)) {
    // Flying aircraft meet fighters first.
    if (after?.kind.startsWith("air.")) return null;
    const isOver = (sheet: OddsView): boolean => !after?.sheets.some(({ targets }) => targets.some((at) => sheet.targets.includes(at)));
    return gone.find((sheet) => isOver(sheet) && sheet.targets.some((at) => lines.some(({ text }) => text.includes(at)))) ?? null;
  }
  const chosen = clicked ? gone.find((sheet) => sheet.targets.includes(clicked)) : undefined;
  if (chosen) return chosen;
  const rolls = lines.filter(({ roll }) => roll != null);
  return gone.find((sheet) => isToldOf(sheet, rolls)) ?? gone.find((sheet) => sheet.attackers.some((unit) => before!.about.includes(unit))) ?? null;
}

/** A combat with all that was added to it, by either side, since it was last on the table. */
export const asMade = (sheet: OddsView | null, made: readonly OddsView[]): OddsView | null =>
  made.find(({ targets }) => targets.length > 0 && String(targets) === String(sheet?.targets)) ?? sheet;

/** Whether the viewer must decide in a phase of the other side, such as a retreat: what happened is the reason. */
export const isForced = ({ phase, phases, question, viewer }: Pick<View, "phase" | "phases" | "question" | "viewer">): boolean => {
  const side = phases.find(({ name }) => name === phase)?.side;
  return !!side && !!question && question.side === viewer && side !== viewer;
};
