/** The constant data of a game and its board. Fetched as soon as the game is known, before the view arrives. */

import { api } from "./api";
import type { BoardData, BoxContents } from "./types";

type GameData = [BoxContents, BoardData];

const prepared = new Map<string, Promise<GameData>>();

const fetchGame = (game: string): Promise<GameData> => Promise.all([api.box(game), api.board(game)]);

/** Begin to fetch a game that will be needed soon. */
export function prepareGame(game: string): void {
  if (!game || prepared.has(game)) return;
  const fetching = fetchGame(game);
  prepared.set(game, fetching);
  // The error is handled where the game is taken.
  fetching.catch(() => {});
}

/** The data and the board of a game: prefetched once, or fetched now. Later matches may be played by newer rules. */
export function takeGame(game: string): Promise<GameData> {
  const found = prepared.get(game) ?? fetchGame(game);
  prepared.delete(game);
  return found;
}
