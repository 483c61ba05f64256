/** Create a match or take a seat: send this player's contribution to the dice, store keys and tokens. */

import { api, type Seat } from "./api";
import { commitmentTo, keepContribution, newContribution } from "./contribution";
import { adopt, keyFor, remember } from "./keyring";
import { keepTokens } from "./links";
import { me } from "./me.svelte";
import type { Seats } from "./seating";
import type { CreatedMatch, SeatRequest, Terms } from "./types";

/** After how many days a match can be claimed from an absent player; null: never. */
export const CLAIM_DAYS: readonly (number | null)[] = [3, 7, 14, 30, null];
export const USUAL_CLAIM_DAYS = 14;

export const hasFriend = (seats: Seats): boolean => Object.values(seats).includes("friend");

/** Create a match with `send` and store its keys. Returns the path of the match. */
export async function setUp(seats: Seats, claim_days: number | null, send: (terms: Terms) => Promise<CreatedMatch>): Promise<string> {
  const shared = hasFriend(seats) && Object.values(seats).includes("me");
  const own = shared ? newContribution() : null;
  const created = await send(hasFriend(seats) ? { claim_days, ...(own && { contribution: commitmentTo(own.value) }) } : {});
  remember(created.id, created.keys);
  keepTokens(created.id, { invitations: created.invitations, recovery: created.recovery });
  if (own) keepContribution(created.id, own);
  return `/game/${created.id}`;
}

/** Exchange a token for a key and store it. Joining for the first time needs a contribution to the dice. */
export async function takeSeat(seat: Seat, request: SeatRequest, joins: boolean): Promise<void> {
  const own = joins ? newContribution() : null;
  const granted = await api.takeSeat(seat, { ...request, ...(own && { contribution: commitmentTo(own.value) }) });
  if (own) keepContribution(seat.id, own);
  adopt(seat.id, granted.key, granted.sides);
  if (granted.recovery) keepTokens(seat.id, { recovery: granted.recovery });
}

/** This browser's key for a match, or one for a seat that the account holds. Null: a spectator. */
export async function findKey(id: string): Promise<string | null> {
  const known = keyFor(id);
  if (known) return known;
  await me.load();
  return me.name ? keyFromAccount(id) : null;
}

export async function keyFromAccount(id: string): Promise<string | null> {
  try {
    const { key, sides } = await api.seatKey(id);
    adopt(id, key, sides);
    return key;
  } catch {
    // The account does not hold this seat.
    return null;
  }
}
