/** Which buttons of a decision fit into one row of the footer. The others are in a menu, so that the map keeps its height. */

import type { Button } from "./types";

/** Widths in units of the font size: of a letter, of the padding of a button and the gap next to it, of the menu. */
const LETTER = 0.43;
const PADDING = 3.1;
const MENU = 6.5;
/** The part of the footer that the prompt gets at least, and at most where it is long. */
const PROMPT = 0.25;
const LONG_PROMPT = 0.4;
/** Lines that a prompt may have. */
const LINES = 2;

export const buttonWidth = (caption: string): number => caption.length * LETTER + PADDING;

/** The room for buttons in a footer of this width. `prompt` is the number of letters in the prompt next to them. */
export function roomBeside(prompt: number, width: number): number {
  const wanted = (prompt * LETTER * 1.15) / LINES + 7;
  return width - Math.min(Math.max(PROMPT * width, wanted), LONG_PROMPT * width);
}

/** The width of a window, in pixels, up to which the buttons are below the prompt, and its padding. */
const NARROW = 720;
const EDGES = 2;

/** The room for buttons in a footer of that width in pixels: below the prompt if it is narrow, else beside the prompt. */
export function roomFor(prompt: number, pixels: number, fontSize: number): number {
  return pixels <= NARROW ? pixels / fontSize - EDGES : roomBeside(prompt, pixels / fontSize);
}

/** Whether the menu has every answer: what is shown only cancels. Then the menu is what continues, and is named so. */
export const answersFolded = <One extends Pick<Button, "role">>({ shown, folded }: { shown: readonly One[]; folded: readonly One[] }): boolean =>
  folded.length > 0 && shown.every(({ role }) => role === "cancel");

/**
 * The buttons that are shown, in their order, and those of the menu. What continues and what cancels is always shown. `others` is
 * the width of what is next to them.
 */
export function inOneRow<One extends Pick<Button, "caption" | "role">>(buttons: readonly One[], room: number, others: number): { shown: One[]; folded: One[] } {
  const width = (list: readonly One[]): number => list.reduce((sum, { caption }) => sum + buttonWidth(caption), 0);
  if (others + width(buttons) <= room) return { shown: [...buttons], folded: [] };
  const kept = new Set(buttons.filter(({ role }) => role !== "plain"));
  let left = room - others - MENU - width([...kept]);
  for (const button of buttons) {
    if (kept.has(button)) continue;
    left -= buttonWidth(button.caption);
    if (left < 0) break;
    kept.add(button);
  }
  const isFolded = (button: One): boolean => !kept.has(button);
  if (buttons.filter(isFolded).length === 1) {
    // A menu with one entry saves nothing: it takes the last button next to it too.
    const last = buttons.findLast((button) => button.role === "plain" && kept.has(button));
    if (!last) return { shown: [...buttons], folded: [] };
    kept.delete(last);
  }
  return { shown: buttons.filter((button) => kept.has(button)), folded: buttons.filter(isFolded) };
}
