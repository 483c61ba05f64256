/** The map as images. An image cannot load fonts, so they are embedded. */

import { api } from "./api";

export interface MapPictures {
  /** Complete. */
  near: string;
  /** Without hex numbers, which are illegible at low zoom. */
  far: string;
}

const FONTS = [
  ["Khamsin Serif", 400, "normal", "serif"],
  ["Khamsin Serif", 400, "italic", "serif-italic"],
  ["Khamsin Serif", 700, "normal", "serif-bold"],
  ["Khamsin Serif", 700, "italic", "serif-bold-italic"],
  ["Khamsin Sans", 400, "normal", "sans"],
  ["Khamsin Sans", 600, "normal", "sans-bold"],
] as const;

/** The parts of a map that can be hidden: group in the drawing, title, key. */
export const PARTS = [
  { id: "relief", title: "Relief", key: "r" },
  { id: "lines", title: "Lines", key: "l" },
  { id: "grid", title: "Grid", key: "g" },
  { id: "numbers", title: "Numbers", key: "n" },
  { id: "names", title: "Names", key: "t" },
] as const;

const drawings = new Map<string, Promise<string>>();
const made = new Map<string, Promise<MapPictures>>();
let faces: Promise<string> | null = null;

/** Return the images of a game's map without some parts, cached. */
export function mapPictures(game: string, without: readonly string[] = []): Promise<MapPictures> {
  return once(made, [game, ...without].join(" "), () => make(game, without));
}

async function make(game: string, without: readonly string[]): Promise<MapPictures> {
  faces ??= Promise.all(FONTS.map(face)).then((rules) => rules.join(""));
  const [text, rules] = await Promise.all([once(drawings, game, () => api.map(game)), faces]);
  const near = text.replace("<style>", `<style>${rules}${without.map((id) => `#${id}{display:none}`).join("")}`);
  const far = near.replace("<style>", "<style>#numbers{display:none}");
  return { near: address(near), far: address(far) };
}

/** Return a cached value, or make it. A failure is not cached. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, begin: () => Promise<Value>): Promise<Value> {
  let value = known.get(key);
  if (!value) {
    value = begin();
    value.catch(() => known.delete(key));
    known.set(key, value);
  }
  return value;
}

async function face([family, weight, style, file]: (typeof FONTS)[number]): Promise<string> {
  const answer = await fetch(`/fonts/${file}.woff2`);
  if (!answer.ok) return "";
  const bytes = new Uint8Array(await answer.arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return `@font-face{font-family:'${family}';font-weight:${weight};font-style:${style};src:url(data:font/woff2;base64,${btoa(letters)})}`;
}

const address = (text: string): string => `data:image/svg+xml,${encodeURIComponent(text)}`;
