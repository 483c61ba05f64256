/** The order of battle as a tree: side, nation, formation, unit. */

import { plain } from "../lib/find";
import { grouped } from "../lib/grouped";
import type { CounterInfo, UnitView } from "../lib/types";

/** One unit in the tree. `unit` is null if the viewer does not know it. */
export interface Leaf {
  counter: CounterInfo;
  unit: UnitView | null;
  where: Whereabouts;
}

/** Where a unit is: on the map, in a box, eliminated, or unknown. */
export type Whereabouts = { kind: "map" | "box"; at: string } | { kind: "gone" | "unknown"; at: "" };

/** A branch of the tree: side, nation or formation, with the number of its units on the map. */
export interface Branch {
  key: string;
  title: string;
  side: string;
  branches: Branch[];
  leaves: Leaf[];
  total: number;
  onMap: number;
}

/** Filter of the tree: words that must occur, and whether to show only units on the map. */
export interface Wanted {
  text: string;
  onMap: boolean;
}

/** Whether a location is a box. */
export type IsBox = (at: string) => boolean;

/** Return where a unit is, as far as the viewer knows. */
export function whereabouts(unit: UnitView | undefined, isBox: IsBox): Whereabouts {
  if (!unit) return { kind: "unknown", at: "" };
  if (!unit.at) return { kind: "gone", at: "" };
  return { kind: isBox(unit.at) ? "box" : "map", at: unit.at };
}

/** Return the filtered tree, without empty branches. */
export function orderOfBattle(
  sides: readonly string[],
  counters: readonly CounterInfo[],
  units: Readonly<Record<string, UnitView>>,
  isBox: IsBox,
  wanted: Wanted = { text: "", onMap: false },
): Branch[] {
  const words = plain(wanted.text).split(/\s+/).filter(Boolean);
  const leaves = counters
    .map((counter) => {
      // The identity of a face-down piece is unknown.
      const unit = units[counter.name]?.back ? undefined : units[counter.name];
      return { counter, unit: unit ?? null, where: whereabouts(unit, isBox) };
    })
    .filter((leaf) => !wanted.onMap || leaf.where.kind === "map")
    .filter((leaf) => words.every((word) => plain(searched(leaf)).includes(word)));
  return sides
    .map((side) => {
      const mine = leaves.filter((leaf) => leaf.counter.side === side);
      const nations = [...grouped(mine, (leaf) => leaf.counter.nation)].map(([nation, members]) => ofNation(side, nation, members));
      // A side of one nation needs no level for it.
      const only = nations.length === 1 ? nations[0] : undefined;
      return branch(side, side, side, only ? only.branches : nations, only ? only.leaves : []);
    })
    .filter((one) => one.total > 0);
}

function ofNation(side: string, nation: string, leaves: Leaf[]): Branch {
  const key = `${side}/${nation}`;
  const byParent = [...grouped(leaves, (leaf) => leaf.counter.parent)];
  const free = byParent.find(([parent]) => !parent)?.[1] ?? [];
  const formations = byParent
    .filter(([parent]) => parent)
    .map(([parent, members]) => branch(`${key}/${parent}`, parent, side, [], members));
  return branch(key, nation || "Other", side, formations, free);
}

function branch(key: string, title: string, side: string, branches: Branch[], leaves: Leaf[]): Branch {
  const total = leaves.length + branches.reduce((sum, one) => sum + one.total, 0);
  const here = leaves.filter((leaf) => leaf.where.kind === "map").length;
  return { key, title, side, branches, leaves, total, onMap: here + branches.reduce((sum, one) => sum + one.onMap, 0) };
}

function searched({ counter, where }: Leaf): string {
  return [counter.name, counter.label, counter.nation, counter.parent, counter.symbol, counter.size, where.at].join(" ");
}

/** Return units by box, including empty boxes, and eliminated units. */
export function inBoxes(
  boxes: readonly string[],
  units: Readonly<Record<string, UnitView>>,
): { boxes: Map<string, string[]>; gone: string[] } {
  const found = new Map<string, string[]>(boxes.map((name) => [name, []]));
  const gone: string[] = [];
  for (const [name, { at }] of Object.entries(units)) {
    if (!at) gone.push(name);
    else found.get(at)?.push(name);
  }
  return { boxes: found, gone };
}
