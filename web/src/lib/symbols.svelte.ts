/**
 * NATO symbols as images. Those of our games are drawn when the client is built (`virtual:symbols`), since the library is twenty
 * times as large as all of them. A game from elsewhere may have others: for these the library itself is loaded.
 */

import { draw, INK, type Drawing } from "./symboldrawing";

type Library = typeof import("milsymbol").default;

export interface Picture {
  /** A data address. */
  source: string;
  width: number;
  height: number;
  /** The width of its frame alone. */
  frame: number;
}

let known: Record<string, Drawing> | null = null;
let library = $state.raw<Library | null>(null);
let asked = false;
const pictures = new Map<string, Picture | null>();

/** Load the drawings; `symbol` works afterwards. */
export async function fetchSymbols(): Promise<void> {
  known ??= (await import("virtual:symbols")).default;
}

/** Return the symbol of a code in one ink; null if there is none, or not yet. */
export function symbol(sidc: string, ink: string): Picture | null {
  if (!known || !sidc) return null;
  const name = `${sidc} ${ink}`;
  const ready = pictures.get(name);
  if (ready !== undefined) return ready;
  if (!known[sidc] && !library) return fetchLibrary();
  const drawing = known[sidc] ?? draw(library!, sidc);
  const picture = drawing && { ...drawing, source: `data:image/svg+xml,${encodeURIComponent(drawing.svg.replaceAll(INK, ink))}` };
  pictures.set(name, picture);
  return picture;
}

function fetchLibrary(): null {
  if (!asked) void import("milsymbol").then(({ default: found }) => (library = found), () => (asked = false));
  asked = true;
  return null;
}
