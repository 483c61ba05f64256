/** A text with a capital at its beginning. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The name of an option in words: "tag-along" is "Tag along". */
export const optionTitle = (name: string): string => capital(name.replaceAll("-", " "));

/** The name of a phase as a title: "impulse 1 allied movement" is "Impulse 1 Allied movement". */
export const phaseTitle = (name: string, sides: readonly string[]): string =>
  capital(name.split(" ").map((word) => sides.find((side) => side.toLowerCase() === word) ?? word).join(" "));
