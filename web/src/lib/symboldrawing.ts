/** The drawing of a NATO symbol by the library. It runs when the client is built; in the browser only for symbols of other games. */

type Library = typeof import("milsymbol").default;

export interface Drawing {
  svg: string;
  width: number;
  height: number;
  /** The width of its frame alone. */
  frame: number;
}

/** The ink of drawings made in advance. No counter has this colour, so it can be replaced. */
export const INK = "#010203";

const SIZE = 60;

/** Draw a symbol; null if the library has none for the code. */
export function draw(library: Library, sidc: string): Drawing | null {
  const drawn = new library.Symbol(sidc, { size: SIZE, monoColor: INK, fill: false, strokeWidth: 7, infoFields: false });
  if (!drawn.isValid()) return null;
  const { width, height } = drawn.getSize();
  const { x1, x2 } = drawn.getMetadata().baseGeometry.bbox;
  return { svg: drawn.asSVG(), width, height, frame: x2 > x1 ? ((x2 - x1) * SIZE) / 100 : width };
}

/** Every code that tables of symbols and sizes can make. */
export function codesOf(tables: readonly string[]): string[] {
  const symbols = new Set(tables.flatMap((text) => [...text.matchAll(/= *"(S[A-Z*-]{10})"/g)].map(([, code]) => code!)));
  const sizes = new Set(["-", ...tables.flatMap((text) => [...text.matchAll(/= *"([A-Z])"/g)].map(([, size]) => size!))]);
  return [...symbols].flatMap((symbol) => [...sizes].map((size) => `${symbol}${size}***`));
}
