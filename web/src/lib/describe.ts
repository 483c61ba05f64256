/** Units and locations in words: in one sentence for screen readers, and as lists. */

import { grouped } from "./grouped";
import { words } from "./hints";
import type { MatchStore } from "./match.svelte";
import { points } from "./points";

export function describeUnit(table: MatchStore, name: string): string {
  const unit = table.unit(name);
  const info = table.info(name);
  if (!unit) return name;
  const where = table.board?.name(unit.at) ?? unit.at;
  if (unit.back) return `${unit.back}, face down, in ${where}`;
  const states = unit.badges.map(({ text }) => text).join(", ");
  const hint = table.drawn && words(table.drawn.units[name]);
  const legal = table.drawn && name in table.drawn.units ? `, can be chosen${hint ? `, ${hint}` : ""}` : "";
  return `${table.called(name)}, ${info?.side ?? ""} ${unit.face}, in ${where}${states ? `, ${states}` : ""}${legal}`;
}

export function describePlace(table: MatchStore, place: string): string {
  const hex = table.board?.hex(place);
  const units = table.unitsAt(place).map((name) => `${table.label(name)} ${table.unit(name)?.face ?? ""}`);
  const reach = table.drawn?.reach[place];
  const hint = table.drawn && !(reach && reach.cost > 0) ? words(table.drawn.hexes[place]) : "";
  const cost = reach && reach.cost > 0 ? `, cost ${points(reach.cost)}, ${points(reach.left)} left` : hint && `, ${hint}`;
  const legal = table.drawn && place in table.drawn.hexes ? `open${cost}` : "";
  return [table.board?.name(place) ?? place, hex?.terrain, legal, units.join("; ")].filter(Boolean).join(", ");
}

/** Units to list: each by its name, face-down ones that look the same in one line with their number. */
export function alike(table: MatchStore, units: readonly string[]): { text: string; face: string; units: string[] }[] {
  const lines = grouped(units, (name) => table.unit(name)?.back || name);
  return [...lines.values()].map((names) => {
    const back = table.unit(names[0]!)?.back ?? "";
    const text = names.length > 1 ? `${names.length} × ${back}` : table.called(names[0]!);
    return { text, face: back ? "" : (table.unit(names[0]!)?.face ?? ""), units: names };
  });
}

/** The first entries of a long list, and how many are left out. A single one is never left out: its line would be as long. */
export function firstOf<T>(list: readonly T[], most: number): { first: readonly T[]; more: number } {
  return list.length <= most + 1 ? { first: list, more: 0 } : { first: list.slice(0, most), more: list.length - most };
}
