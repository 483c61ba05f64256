/** A rematch: same scenario, options, seats and visibility of the computer's reasons. */

import { api } from "../lib/api";
import { keysOf } from "../lib/keyring";
import type { Seats } from "../lib/seating";
import { setUp, takeSeat, USUAL_CLAIM_DAYS } from "../lib/setup";
import type { MatchStore } from "../lib/match.svelte";

type Played = Pick<MatchStore, "id" | "view" | "seats" | "seat" | "sides" | "rematch">;

/** Return the seats in the form in which a match is set up. */
export function seatsOf(seats: readonly { side: string; who: string }[], mine: readonly string[]): Seats {
  return Object.fromEntries(
    seats.map(({ side, who }) => [side, mine.includes(side) ? "me" : who === "person" || who === "open" ? "friend" : who]),
  );
}

/** What can be done about a rematch: offer, accept, open, or nothing. */
export function rematchState({ view, sides, rematch }: Pick<Played, "view" | "sides" | "rematch">): "offer" | "accept" | "open" | "none" {
  if (!view?.result) return "none";
  if (!rematch) return sides.length ? "offer" : "none";
  return sides.length && !Object.keys(keysOf(rematch)).length ? "accept" : "open";
}

/** Offer, accept or open the rematch of a finished match. Returns its path. */
export async function playRematch(table: Played): Promise<string> {
  const { rematch, seat } = table;
  if (rematchState(table) === "offer") return setUp(seatsOf(table.seats, table.sides), USUAL_CLAIM_DAYS, (terms) => api.rematch(seat, shared(terms)));
  if (rematchState(table) === "accept") await takeSeat({ id: rematch!, key: seat.key ?? null }, { token: "", rematch_of: table.id }, true);
  return `/game/${rematch}`;
}

/** A rematch keeps the number of days after which it can be claimed. */
const shared = ({ contribution = "" }: { contribution?: string }) => ({ contribution });

/** Set up the same match again while it is still running. */
export async function startAgain({ view, seats, seat, sides }: Played): Promise<string> {
  const again = seatsOf(seats, sides);
  const { open_reasons } = await api.info(seat);
  return setUp(again, USUAL_CLAIM_DAYS, (terms) =>
    api.newMatch({ game: view!.game, scenario: view!.scenario, options: view!.options, seats: again, open_reasons, ...terms }),
  );
}
