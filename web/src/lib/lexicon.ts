/** The lexicon of the game that is shown, made once for each game. */

import type { MatchStore } from "./match.svelte";
import type { BoxContents } from "./types";
import { Lexicon } from "./words";

const made = new WeakMap<BoxContents, Lexicon>();

/** The lexicon of a match; null until its game is loaded. */
export function lexiconOf({ box, board }: Pick<MatchStore, "box" | "board">): Lexicon | null {
  if (!box || !board) return null;
  let lexicon = made.get(box);
  if (!lexicon) made.set(box, (lexicon = new Lexicon(box.counters, box.glossary, (text) => board.hex(text)?.places.map(({ name }) => name) ?? null)));
  return lexicon;
}
