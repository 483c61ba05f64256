/** Find a unit, hex, place or area by typed text. */

import type { Board } from "./geometry";

export interface Finding {
  what: "unit" | "hex" | "place" | "area" | "box";
  name: string;
  /** Shown next to the name: kind and location. */
  note: string;
  /** The location to go to; for a unit, where it is. */
  at: string;
  /** The unit, if it is one. */
  unit?: string;
}

/** A unit as the finder needs it. */
export interface Findable {
  unit: string;
  name: string;
  label: string;
  at: string;
  note: string;
}

/** A text without accents and case, for comparing. */
export const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Return the matches, best first. */
export function find(typed: string, board: Board, units: readonly Findable[], limit = 9): Finding[] {
  const wanted = plain(typed.trim());
  if (!wanted) return [];
  const found: { rank: number; order: number; finding: Finding }[] = [];
  const add = (rank: number, order: number, finding: Finding) => rank >= 0 && found.push({ rank, order, finding });
  for (const unit of units) {
    const rank = Math.min(...[unit.name, unit.label, unit.unit].map((name) => nearness(name, wanted)).map((n) => (n < 0 ? 9 : n)));
    if (rank < 9) add(rank + 0.2, board.hex(unit.at) ? 0 : 1, { what: "unit", name: unit.name, note: unit.note, at: unit.at, unit: unit.unit });
  }
  for (const hex of board.hexes) {
    const number = plain(hex.number);
    const rank = number === wanted ? 0 : number.startsWith(wanted) ? 4 : number.replace(/^[a-z]+/, "").startsWith(wanted) ? 5 : -1;
    add(rank, number.length, { what: "hex", name: hex.number, note: hex.places[0]?.name ?? hex.terrain, at: hex.number });
    for (const place of hex.places) {
      add(nearness(place.name, wanted), place.rank, {
        what: "place", name: place.name, note: `${place.kind} · ${hex.number}`, at: hex.number,
      });
    }
  }
  for (const area of board.data.areas) {
    const first = area.hexes.find((number) => board.hex(number));
    if (!first) continue;
    add(addHalf(nearness(area.name, wanted)), 6, {
      what: "area", name: area.name, note: `${area.kind} · ${area.hexes.length === 1 ? first : `${area.hexes.length} hexes`}`, at: first,
    });
  }
  for (const box of board.boxes) add(addHalf(nearness(box.name, wanted)), 7, { what: "box", name: box.name, note: box.kind, at: box.name });
  found.sort((a, b) => a.rank - b.rank || a.order - b.order || a.finding.name.localeCompare(b.finding.name));
  return found.slice(0, limit).map(({ finding }) => finding);
}

const addHalf = (rank: number): number => (rank < 0 ? rank : rank + 0.5);

/** How well a name matches: 0 whole, 1 its start, 2 the start of a word, 3 anywhere, -1 no match. */
function nearness(name: string, wanted: string): number {
  const text = plain(name);
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  const at = text.indexOf(wanted);
  if (at < 0) return -1;
  return /[\s'/(-]/.test(text[at - 1] ?? "") ? 2 : wanted.length > 2 ? 3 : -1;
}
