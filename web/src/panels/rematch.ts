/** The same game again: same scenario, same options, same seats, and the computer's reasons as open as they were. */

import { api } from "../lib/api";
import { give } from "../lib/given";
import { linkTo, remember } from "../lib/keyring";
import type { Seats } from "../lib/seating";
import type { Table } from "../lib/table.svelte";

/** Who sat where, in the words with which a game is set up. */
export function seatsOf(seats: readonly { side: string; who: string }[], mine: readonly string[]): Seats {
  return Object.fromEntries(
    seats.map(({ side, who }) => [side, mine.includes(side) ? "me" : who === "person" || who === "open" ? "friend" : who]),
  );
}

/** Set it up; gives the way to it. A friend finds the link of the other seat in the chat. */
export async function rematch(table: Pick<Table, "view" | "seats" | "seat" | "sides" | "say">): Promise<string> {
  const view = table.view!;
  const seats = seatsOf(table.seats, table.sides);
  const { open_reasons } = await api.info(table.seat);
  const { id, keys } = await api.newMatch({ game: view.game, scenario: view.scenario, options: view.options, seats, open_reasons });
  remember(id, Object.fromEntries(Object.entries(keys).filter(([side]) => seats[side] !== "friend")));
  for (const [side, key] of Object.entries(keys)) {
    if (seats[side] !== "friend") continue;
    give(id, side, key);
    table.say(`Rematch? ${side} sits here: ${linkTo(id, key)}`);
  }
  return `/game/${id}`;
}
