/** NATO symbols as images, each drawn once. The library is large and loaded separately. */

type Library = typeof import("milsymbol").default;

export interface Picture {
  /** A data address. */
  source: string;
  width: number;
  height: number;
  /** The width of its frame alone. */
  frame: number;
}

const SIZE = 60;

let library: Library | null = null;
const pictures = new Map<string, Picture | null>();

/** Load the library; `symbol` works afterwards. */
export async function fetchSymbols(): Promise<void> {
  library ??= (await import("milsymbol")).default;
}

/** Return the symbol of a code in one ink; null if there is none. */
export function symbol(sidc: string, ink: string): Picture | null {
  if (!library || !sidc) return null;
  const name = `${sidc} ${ink}`;
  let picture = pictures.get(name);
  if (picture === undefined) {
    picture = draw(library, sidc, ink);
    pictures.set(name, picture);
  }
  return picture;
}

function draw(library: Library, sidc: string, ink: string): Picture | null {
  const drawn = new library.Symbol(sidc, { size: SIZE, monoColor: ink, fill: false, strokeWidth: 7, infoFields: false });
  if (!drawn.isValid()) return null;
  const { width, height } = drawn.getSize();
  const { x1, x2 } = drawn.getMetadata().baseGeometry.bbox;
  return { source: `data:image/svg+xml,${encodeURIComponent(drawn.asSVG())}`, width, height, frame: x2 > x1 ? ((x2 - x1) * SIZE) / 100 : width };
}
