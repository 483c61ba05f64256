/** The map's drawing as pictures. A picture may load nothing, so the fonts go into it. */

import { api } from "./api";

export interface MapPictures {
  /** With everything. */
  near: string;
  /** Without the hex numbers, which from afar are only dust. */
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

const made = new Map<string, Promise<MapPictures>>();
let faces: Promise<string> | null = null;

/** The pictures of a game's map, made once. */
export function mapPictures(game: string): Promise<MapPictures> {
  let pictures = made.get(game);
  if (!pictures) {
    pictures = make(game);
    pictures.catch(() => made.delete(game));
    made.set(game, pictures);
  }
  return pictures;
}

async function make(game: string): Promise<MapPictures> {
  faces ??= Promise.all(FONTS.map(face)).then((rules) => rules.join(""));
  const [text, rules] = await Promise.all([api.map(game), faces]);
  const near = text.replace("<style>", `<style>${rules}`);
  const far = near.replace("<style>", "<style>#numbers{display:none}");
  return { near: address(near), far: address(far) };
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
