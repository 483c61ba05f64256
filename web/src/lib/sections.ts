/** Sections of a rulebook: lookup by number, search, and citations in a text. */

import { plain } from "./find";
import type { Section } from "./types";

/** A piece of text, or the number of a section that is named there. */
export type Piece = { text: string; section?: string };

/** The depth of a section: 1 for a chapter such as "12", "12.0" or "Scenario 2", 2 for "12.4" or "OCS 8(1)", 3 for "12.4.1" or "12.4a". */
export function depthOf(number: string): number {
  const parts = number.replace(/\.0$/, "").match(/\.\d+|\(\d+\)|(?<=\.\d+)[a-z]\b/g);
  return 1 + (parts?.length ?? 0);
}

/** The chapter that a section is in: the last one up to it. */
export function chapterOf(sections: readonly Section[], section: Section): Section | null {
  return sections.slice(0, sections.indexOf(section) + 1).findLast(({ number }) => depthOf(number) === 1) ?? null;
}

/** The numbers in a citation: "12.4.3, 13.2" gives two; a word such as "Table 1" stays whole. */
export function cited(rule: string): string[] {
  return rule
    .split(/[,;]\s*|\s+and\s+/)
    .map((one) => one.replace(/^§\s*/, "").trim())
    .filter(Boolean);
}

/** The section that a citation means, or the nearest one above it: "12.4.9" finds "12.4" where it has no ninth part. */
export function sectionFor(sections: readonly Section[], rule: string): Section | null {
  let number = cited(rule)[0] ?? "";
  while (number) {
    const found = sections.find((section) => section.number === number);
    if (found) return found;
    // A letter at the end is a part of its section, as a number behind a point is.
    number = /\d[a-z]$/i.test(number) ? number.slice(0, -1) : number.replace(/(^|[.\s-])[^.\s-]*$/, "");
  }
  return null;
}

/** Return the sections that contain every word, those with all of them in the title first. */
export function search(sections: readonly Section[], question: string): Section[] {
  const words = plain(question).split(/\s+/).filter(Boolean);
  if (!words.length) return [...sections];
  const holds = (text: string) => words.every((word) => plain(text).includes(word));
  const number = question.trim().replace(/^§\s*/, "");
  const exact = sections.filter((section) => section.number === number || section.number.startsWith(`${number}.`));
  const titled = sections.filter((section) => holds(section.title));
  const inside = sections.filter((section) => holds(`${section.number} ${section.title} ${section.gist}`));
  return [...new Set([...exact, ...titled, ...inside])];
}

/** A text cut where it names a section that exists: "(12.4)", "12.4.1-3" or "(10)". */
export function linked(text: string, known: ReadonlySet<string>, own = ""): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(/(?<![\w.,-])(\d+(?:\.\d+)+[a-z]?|(?<=\(|§|, )\d+(?=[),]))(?![\w]|\.\d)/g)) {
    const number = found[1]!;
    if (!known.has(number) || number === own) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index) });
    pieces.push({ text: number, section: number });
    from = found.index + number.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
