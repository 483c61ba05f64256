/** Texts of the game cut into words that mean something: units, hexes and terms of the glossary. */

import type { CounterInfo, GlossaryTerm } from "./types";

export type Piece =
  | { kind: "text"; text: string }
  | { kind: "unit"; text: string; unit: string }
  | { kind: "hex"; text: string; hex: string }
  /** Figures that belong together and are not parted at the end of a line: odds, a column, the values of a counter. */
  | { kind: "figures"; text: string }
  | { kind: "term"; text: string; term: GlossaryTerm };

/** "2-1", "25-40" or "6-5-3". */
const FIGURES = "\\d+(?:-\\d+)+";
const IS_FIGURES = new RegExp(`^${FIGURES}$`);

/** Units in a list. Full names contain commas: "3rd Brigade, 2nd Division"; such a list is divided by semicolons. */
export const listed = (names: readonly string[]): string => names.join(names.some((name) => name.includes(",")) ? "; " : ", ");

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** With more units than this a list has the names on their counters: full names would fill a panel. */
const LONG_LIST = 3;

/** The words of one game. A game without a glossary still has its units and hexes. */
export class Lexicon {
  #units = new Map<string, string>();
  #labels = new Map<string, string>();
  #terms = new Map<string, GlossaryTerm>();
  readonly #pattern: RegExp;

  constructor(
    counters: readonly Pick<CounterInfo, "name" | "full" | "label">[],
    glossary: readonly GlossaryTerm[],
    /** The places in a hex; null if a text is not the number of a hex. */
    readonly placesIn: (text: string) => readonly string[] | null,
  ) {
    for (const { name, full, label } of counters) {
      this.#units.set(name, full || name);
      this.#labels.set(name, label || name);
    }
    for (const term of glossary) for (const form of [term.term, ...term.forms]) this.#terms.set(key(form), term);
    // The longest first: "Axis depot 12" is not "Axis depot 1".
    const forms = glossary.flatMap(({ term, forms }) => [term, ...forms]);
    const known = [...this.#units.keys(), ...forms.filter((form) => form.length > 1)].sort((a, b) => b.length - a.length);
    // A letter alone is a measure, which follows its number: 2T.
    const measures = forms.filter((form) => form.length === 1);
    const numbered = measures.length ? [`(?<![\\w/.])[\\d½¼¾]+(?:${measures.map(escape).join("|")})`] : [];
    const words = [...numbered, ...known.map(escape), FIGURES, "[A-Z]{0,2}\\d{1,5}(?:\\.\\d{2})?"];
    this.#pattern = new RegExp(`(?<![\\w/])(?:${words.join("|")})(?![\\w/])`, "gi");
  }

  /** The pieces of a text. A unit reads as its full name, or, if `short` and in long lists, as its counter; a hex with its place
   * where the text does not name it; a term is marked where it first occurs. */
  read(text: string, short = false): Piece[] {
    const pieces: Piece[] = [];
    const told = new Set<GlossaryTerm>();
    let from = 0;
    for (const match of text.matchAll(this.#pattern)) {
      const piece = this.#piece(match[0], told, text);
      if (!piece) continue;
      if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
      pieces.push(piece);
      from = match.index + match[0].length;
    }
    if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
    return agreed(divided(this.#shortened(pieces, short ? 0 : LONG_LIST)));
  }

  /** Units in a list of more than `most` read as their counters do. */
  #shortened(pieces: Piece[], most: number): Piece[] {
    const found = [...pieces];
    for (let from = 0; from < found.length; from++) {
      const to = endOfList(found, from);
      if ((to - from) / 2 + 1 <= most) continue;
      for (let i = from; i <= to; i++) {
        const piece = found[i]!;
        if (piece.kind === "unit") found[i] = { ...piece, text: this.#labels.get(piece.unit) ?? piece.unit };
      }
      from = to;
    }
    return found;
  }

  #piece(text: string, told: Set<GlossaryTerm>, whole: string): Piece | null {
    const full = this.#units.get(text);
    if (full !== undefined) return { kind: "unit", text: full, unit: text };
    const term = this.#terms.get(key(text)) ?? this.#terms.get(text.replace(/^[\d½¼¾]+(?=[A-Z]$)/, ""));
    if (term && !told.has(term)) {
      told.add(term);
      return { kind: "term", text, term };
    }
    if (IS_FIGURES.test(text)) return { kind: "figures", text };
    const places = term ? null : this.placesIn(text);
    if (!places) return null;
    return { kind: "hex", hex: text, text: [text, ...places.slice(0, 1).filter((name) => !whole.includes(name))].join(" ") };
  }
}

/** Abbreviations are distinguished by their capitals: "OOS" is a term, "oos" is not. */
const key = (form: string): string => (/^[A-Z0-9]+s?$/.test(form) ? form : form.toLowerCase());

/** Words that end in s after a unit and are not verbs. */
const NO_VERB = new Set(["its", "as", "less", "plus", "minus", "versus", "this", "across", "always"]);
const IRREGULAR: Record<string, string> = { is: "are", was: "were", has: "have", does: "do", goes: "go" };

/** Whether the full name of a unit is a plural: "Tanks of 2nd Chasseurs d'Afrique", "Fw 190 fighter-bombers", "7th Hussars (re-equipped)". */
export function isPlural(name: string): boolean {
  const head = name.replace(/\s*\([^)]*\)/g, "").split(/ of |,| d'/)[0]!.trim();
  return /[a-z]s$/.test(head) && !/(?:corps|korps|headquarters|ss)$/i.test(head);
}

/** The plural of a verb in the third person: "retreats" -> "retreat", "flies" -> "fly". */
export const pluralVerb = (verb: string): string =>
  IRREGULAR[verb] ?? (verb.endsWith("ies") ? `${verb.slice(0, -3)}y` : verb.replace(/(?<=ss|x|ch|sh)es$|s$/, ""));

/** The last piece of the list of units that begins with a piece. */
function endOfList(pieces: readonly Piece[], from: number): number {
  let to = from;
  while (pieces[to]?.kind === "unit" && pieces[to + 1]?.text === ", " && pieces[to + 2]?.kind === "unit") to += 2;
  return to;
}

/** Texts divide the short names of units by commas. In a list with a full name that contains one, semicolons do it. */
function divided(pieces: Piece[]): Piece[] {
  const found = [...pieces];
  for (let from = 0; from < found.length; from++) {
    const to = endOfList(found, from);
    const names = found.slice(from, to + 1).filter(({ kind }) => kind === "unit");
    if (names.some(({ text }) => text.includes(","))) for (let i = from + 1; i < to; i += 2) found[i] = { kind: "text", text: "; " };
    from = to;
  }
  return found;
}

/** Texts name units by their short names, in the singular: after a full name that is a plural the verb is put into the plural. */
function agreed(pieces: Piece[]): Piece[] {
  return pieces.map((piece, i) => {
    const [before, hex] = [pieces[i - 1], pieces[i - 2]];
    const direct = before?.kind === "unit" && isPlural(before.text);
    // "Armoured Cars in 6324 Faid Pass are out of supply".
    const located = before?.kind === "hex" && hex?.kind === "text" && hex.text === " in " && pieces[i - 3]?.kind === "unit" && isPlural(pieces[i - 3]!.text);
    if (piece.kind !== "text" || !(direct || located)) return piece;
    const found = /^(,? (?:which )?)([a-z]+s)\b/.exec(piece.text);
    if (!found || NO_VERB.has(found[2]!)) return piece;
    const rest = piece.text.slice(found[0].length).replace(/^( [a-z]+)? its /, "$1 their ");
    return { kind: "text", text: `${found[1]}${pluralVerb(found[2]!)}${rest}` };
  });
}
