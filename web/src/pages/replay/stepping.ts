/** Steps of a replay: the next click, and the next roll, phase or turn. */

import type { Moment } from "../../lib/types";

/** What can be jumped to. */
export type Jump = "roll" | "phase" | "turn";

/** Return a click within the match. */
export function within(click: number, clicks: number): number {
  if (!Number.isFinite(click)) return clicks;
  return Math.min(Math.max(Math.round(click), 0), clicks);
}

/** Return the next moment of a kind after a click, or before it; null if there is none. */
export function jump(moments: readonly Moment[], at: number, what: Jump, forward: boolean): Moment | null {
  const wanted = stops(moments, what);
  const found = forward ? wanted.find(({ click }) => click > at) : wanted.findLast(({ click }) => click < at);
  return found ?? null;
}

/** Return the moments of a kind. A turn begins with its first phase. */
export function stops(moments: readonly Moment[], what: Jump): Moment[] {
  if (what !== "turn") return moments.filter(({ kind }) => kind === what);
  let turn = Number.NaN;
  return moments.filter((moment) => {
    if (moment.kind !== "phase" || moment.turn === turn) return false;
    turn = moment.turn;
    return true;
  });
}

/** Return the phase of a click. */
export function phaseAt(moments: readonly Moment[], at: number): Moment | null {
  return moments.findLast(({ kind, click }) => kind === "phase" && click <= at) ?? null;
}

/** Milliseconds between two clicks while the replay runs. */
export const SPEEDS = [
  { title: "slow", pause: 1600 },
  { title: "steady", pause: 700 },
  { title: "fast", pause: 250 },
  { title: "very fast", pause: 60 },
] as const;
