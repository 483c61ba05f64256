/** Moving through a finished or running game: which click comes next, and which one is worth jumping to. */

import type { Moment } from "../../lib/types";

/** What can be jumped to. */
export type Jump = "roll" | "phase" | "turn";

/** A place within the game. */
export function within(click: number, clicks: number): number {
  if (!Number.isFinite(click)) return clicks;
  return Math.min(Math.max(Math.round(click), 0), clicks);
}

/** The next moment of a kind after a click, or before it; null where there is none. */
export function jump(moments: readonly Moment[], at: number, what: Jump, forward: boolean): Moment | null {
  const wanted = stops(moments, what);
  const found = forward ? wanted.find(({ click }) => click > at) : wanted.findLast(({ click }) => click < at);
  return found ?? null;
}

/** The moments of a kind; a turn begins with its first phase. */
export function stops(moments: readonly Moment[], what: Jump): Moment[] {
  if (what !== "turn") return moments.filter(({ kind }) => kind === what);
  let turn = Number.NaN;
  return moments.filter((moment) => {
    if (moment.kind !== "phase" || moment.turn === turn) return false;
    turn = moment.turn;
    return true;
  });
}

/** The phase that a click lies in. */
export function phaseAt(moments: readonly Moment[], at: number): Moment | null {
  return moments.findLast(({ kind, click }) => kind === "phase" && click <= at) ?? null;
}

/** Milliseconds between two clicks while the game is played by itself. */
export const SPEEDS = [
  { title: "slow", pause: 1600 },
  { title: "steady", pause: 700 },
  { title: "fast", pause: 250 },
  { title: "racing", pause: 60 },
] as const;
