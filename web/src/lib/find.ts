/** Finding a unit, a hex, a place or an area by what is typed. */

import type { Board } from "./geometry";

export interface Finding {
  what: "unit" | "hex" | "place" | "area" | "box";
  name: string;
  /** What stands beside the name: where it is, what it is. */
  note: string;
  /** The location to go to; for a unit, where it is. */
  at: string;
}

/** A unit as the finder needs it. */
export interface Findable {
  name: string;
  label: string;
  at: string;
  note: string;
}

/** A text without accents and case, for comparing. */
export const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** What answers a question, best first. */
export function find(question: string, board: Board, units: readonly Findable[], limit = 9): Finding[] {
  const wanted = plain(question.trim());
  if (!wanted) return [];
  const found: { rank: number; order: number; finding: Finding }[] = [];
  const add = (rank: number, order: number, finding: Finding) => rank >= 0 && found.push({ rank, order, finding });
  for (const unit of units) {
    const rank = Math.min(...[nearness(unit.name, wanted), nearness(unit.label, wanted)].map((n) => (n < 0 ? 9 : n)));
    if (rank < 9) add(rank + 0.2, board.hex(unit.at) ? 0 : 1, { what: "unit", name: unit.name, note: unit.note, at: unit.at });
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

/** How well a name answers: 0 wholly, 1 from its start, 2 from the start of a word, 3 somewhere, -1 not. */
function nearness(name: string, wanted: string): number {
  const text = plain(name);
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  const at = text.indexOf(wanted);
  if (at < 0) return -1;
  return /[\s'/(-]/.test(text[at - 1] ?? "") ? 2 : wanted.length > 2 ? 3 : -1;
}
