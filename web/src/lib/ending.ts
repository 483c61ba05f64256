/** What ends or changes a match outside the rules: resigning, claiming from an absent player, opening both sides. */

import type { SeatInfo, View } from "./types";

const isPerson = ({ who }: SeatInfo): boolean => who === "person" || who === "open";

/** Return the absent opponent and when the match can be claimed; null if none is absent. */
export function absentee(seats: readonly SeatInfo[], mine: readonly string[], now: number): { side: string; from: string; ready: boolean } | null {
  const seat = mine.length ? seats.find(({ side, claim_from }) => claim_from && !mine.includes(side)) : undefined;
  return seat ? { side: seat.side, from: seat.claim_from!, ready: Date.parse(seat.claim_from!) <= now } : null;
}

/** Whether both sides of a match may be shown: against the computer, with something hidden, by the only person who plays. */
export function canOpen(view: Pick<View, "opened" | "result"> | null, secrets: boolean, seats: readonly SeatInfo[], mine: readonly string[]): boolean {
  if (!view || view.opened || view.result || !secrets || !mine.length) return false;
  return seats.some((seat) => !isPerson(seat)) && seats.filter(isPerson).every(({ side }) => mine.includes(side));
}

/** Return the other sides a viewer may look from: all when the match is over or opened. */
export const sidesToLookFrom = (view: Pick<View, "opened" | "result"> | null, sides: readonly string[], mine: readonly string[]): string[] =>
  view && (view.result || view.opened) ? sides.filter((side) => !mine.includes(side)) : [];
