/** Seats of a new match, and the first line of a record file. */

import { recall } from "./remembered";
import type { GameInfo, PlayerInfo, Shelf } from "./types";

/** Side -> "me", "friend" or the name of a computer player. */
export type Seats = Record<string, string>;

/** Return seats with the player on one side and `who` on all others. */
export function against(sides: readonly string[], mine: string, other: string): Seats {
  return Object.fromEntries(sides.map((side) => [side, side === mine ? "me" : other]));
}

/** Return the playable games. */
export const playable = (shelf: Shelf): GameInfo[] => shelf.games.filter((game) => game.playable && game.scenarios.length > 0);

/** Return the computer players of a game. */
export function knowing(shelf: Shelf, game: string): PlayerInfo[] {
  const known = shelf.games.find(({ id }) => id === game)?.players ?? [];
  return shelf.players.filter(({ name }) => known.includes(name));
}

/** Return the default computer player of a game, else the first. */
export function usual(shelf: Shelf, game: string): string {
  const names = knowing(shelf, game).map(({ name }) => name);
  return names.includes(shelf.usual) ? shelf.usual : (names[0] ?? shelf.usual);
}

/** The seats of a new match as the player last chose side and level on the start page. */
export function seatsAsBefore(shelf: Shelf, game: GameInfo): Seats {
  const side = recall<Record<string, string>>("home.sides", {})[game.id];
  const level = recall("home.level", "");
  const known = knowing(shelf, game.id).some(({ name }) => name === level);
  return against(game.sides, game.sides.find((name) => name === side) ?? game.sides[0]!, known ? level : usual(shelf, game.id));
}

/** The first value of every option, which is its default. */
export function defaults(options: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([name, values]) => [name, values[0] ?? ""]));
}

/** Return what the first line of a record says; null if the text is not a record. */
export function headOf(record: string): { game: string; scenario: string; clicks: number; over: boolean } | null {
  const lines = record.split("\n").filter((line) => line.trim());
  try {
    const head = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
    if (!("khamsin" in head) || typeof head["game"] !== "string") return null;
    const last = JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown>;
    const over = "result" in last;
    return { game: head["game"], scenario: String(head["scenario"] ?? ""), clicks: Math.max(0, lines.length - 2), over };
  } catch {
    return null;
  }
}

/** A seat in words. */
export function seatWords(who: string): string {
  if (who === "me") return "you";
  if (who === "friend") return "a friend";
  return `the computer (${who})`;
}
