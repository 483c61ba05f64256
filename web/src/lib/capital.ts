/** A text with a capital at its beginning. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The name of an option in words: "tag-along" is "Tag along". */
export const optionTitle = (name: string): string => capital(name.replaceAll("-", " "));
