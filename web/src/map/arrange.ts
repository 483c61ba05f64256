/** Where each counter is drawn: in a pile with two edges showing, or fanned out. */

import { grouped } from "../lib/grouped";
import type { Board, Box, Point } from "../lib/geometry";
import type { HexOnBoard } from "../lib/types";

export const COUNTER = 42;
const EDGE = 3.2;
const GAP = 7;
const ROW = 5;
/** The depth from which a counter is not drawn. */
export const BURIED = 3;
/** A fan may be longer than a row if it covers less so. */
const LONGEST = 8;
const READABLE = 1.15;
/** The scale of a fan among neighbours that it would cover otherwise. */
const COMPACT = 0.9;
/** How many covered counters a fan in the compact scale is worth. */
const SMALL = 0.25;
/** Pixels of the screen below which a counter is drawn larger than its share of the map, and by how much at most. */
const VISIBLE = 30;
const LARGEST = 1.9;

/** What the window shows: how large, and which part of the map. */
export interface Window {
  zoom: number;
  sight: Box;
  /** Hexes that can be clicked now: a fan should not cover them. */
  legal?: readonly HexOnBoard[];
}

export interface Placed {
  name: string;
  at: string;
  x: number;
  y: number;
  scale: number;
  /** Height in the pile. */
  z: number;
  /** How many counters cover it; 0 is the top. */
  depth: number;
  /** The units of its pile; in a fan those that look the same. */
  count: number;
  fanned: boolean;
}

/** A fan that is open: where, and around which unit, which had this depth in the pile; without one around the top of the pile. */
export interface Fan {
  at: string;
  unit: string | null;
  depth: number;
}

/** Who is drawn on top: in a pile by what matters now, in a fan by what never changes, so that nothing moves in it. */
export interface Ranks {
  pile(name: string): number;
  fan(name: string): number;
  /** What a face-down unit shows, or "". Units that show the same cannot be told apart and are one counter of a fan. */
  back?(name: string): string;
}

export interface Plate {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The order of a pile from the bottom: by rank, then as given. */
export const piled = (names: readonly string[], rank: (name: string) => number): readonly string[] =>
  names.length > 1 ? [...names].sort((a, b) => rank(a) - rank(b)) : names;

/** The units of a stack that a fan shows, each with those that lie under it because they look the same. */
export function unfolded(order: readonly string[], fan: Fan, back: Ranks["back"]): ReadonlyMap<string, readonly string[]> {
  const groups = grouped(order, (name) => back?.(name) || `${name} is face up`);
  return new Map([...groups.values()].map((names) => [fan.unit && names.includes(fan.unit) ? fan.unit : names.at(-1)!, names]));
}

/**
 * A place for every unit on the map. A counter that stays where it is keeps its object, so that it is not drawn again.
 */
export function arrange(
  stacks: ReadonlyMap<string, readonly string[]>,
  board: Board,
  ranks: Ranks,
  fan: Fan | null,
  window: Window,
  last: ReadonlyMap<string, Placed>,
): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const [at, names] of stacks) {
    const hex = board.hex(at);
    if (!hex) continue;
    const open = at === fan?.at && names.length > 1;
    const order = piled(names, open ? ranks.fan : ranks.pile);
    const shown = open ? unfolded(order, fan, ranks.back) : null;
    const spread = open ? fanOut([...shown!.keys()], hex, fan, window, stacks, board) : null;
    const over = new Map([...(shown ?? [])].flatMap(([top, under]) => under.map((name) => [name, top] as const)));
    order.forEach((name, i) => {
      const top = over.get(name) ?? name;
      const depth = spread ? (top === name ? 0 : BURIED) : order.length - 1 - i;
      const where = spread ? spread.slots.get(top)! : pilePlace(hex, depth, window);
      const next: Placed = {
        name, at, depth, count: shown?.get(top)?.length ?? order.length, fanned: !!spread, z: spread ? 50 + i : 10 - Math.min(depth, 9), ...where,
      };
      const before = last.get(name);
      placed.set(name, before && same(before, next) ? before : next);
    });
  }
  // The order of the page never changes: a counter that changes its place among its siblings would lose its transition.
  return new Map([...placed].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How much larger than the map a counter in a pile is drawn: from afar it fills its hex and more. */
export const pileScale = ({ zoom }: Window): number => Math.max(1, Math.min(LARGEST, VISIBLE / (COUNTER * zoom)));

function pilePlace(hex: HexOnBoard, depth: number, window: Window): { x: number; y: number; scale: number } {
  const scale = pileScale(window);
  const up = Math.min(depth, 2) * EDGE;
  return { x: hex.x - (COUNTER * scale) / 2 + up, y: hex.y - (COUNTER * scale) / 2 - up, scale };
}

/** How much larger than the map a fan is drawn: it can be read from afar, and each counter covers the one it had in the pile. */
const fanScales = (window: Window): number[] => [READABLE, COMPACT].map((scale) => Math.max(pileScale(window), scale / window.zoom));

interface Spread {
  slots: Map<string, { x: number; y: number; scale: number }>;
  plate: Plate;
}

/**
 * Spread a stack around one of its counters, which keeps its centre and so stays under the pointer. Of all grids, all slots for
 * that counter and two scales, take the one that stays in sight, then the one that covers the fewest other stacks and legal hexes.
 */
export function fanOut(
  order: readonly string[], hex: HexOnBoard, fan: Fan, window: Window, stacks: ReadonlyMap<string, readonly string[]>, board: Board,
): Spread {
  const count = order.length;
  const anchor = fan.unit && order.includes(fan.unit) ? fan.unit : order[count - 1]!;
  const still = pilePlace(hex, anchor === fan.unit ? fan.depth : 0, window);
  const centre = { x: still.x + (COUNTER * still.scale) / 2, y: still.y + (COUNTER * still.scale) / 2 };
  const scales = [...new Set(fanScales(window))];
  const sizes = (scale: number): [number, number] => [(COUNTER + GAP) * scale, GAP * scale];
  const near = neighbours(hex, stacks, board, sizes(scales[0]!)[0] * (LONGEST + 1));
  const legal = (window.legal ?? []).filter((other) => other !== hex && !near.includes(other));
  const shape = (scale: number, columns: number, slot: number): Plate => {
    const [step, gap] = sizes(scale);
    return {
      x: centre.x - ((slot % columns) + 0.5) * step - gap / 2,
      y: centre.y - (Math.floor(slot / columns) + 0.5) * step - gap / 2,
      width: columns * step + gap,
      height: Math.ceil(count / columns) * step + gap,
    };
  };
  let best = { scale: scales[0]!, columns: 1, slot: 0, cost: Infinity };
  for (const scale of scales) {
    for (let columns = Math.min(count, LONGEST); columns >= 1; columns--) {
      if (Math.ceil(count / columns) > LONGEST) continue;
      for (let slot = 0; slot < count; slot++) {
        const plate = shape(scale, columns, slot);
        const lopsided = Math.abs(plate.x + plate.width / 2 - hex.x) + Math.abs(plate.y + plate.height / 2 - hex.y);
        const hidden = covered(near, COUNTER * still.scale, plate) + 0.5 * covered(legal, COUNTER, plate) + (scale === scales[0] ? 0 : SMALL);
        const cost = 1000 * outOf(window.sight, plate) + 10 * hidden + lopsided / sizes(scale)[0] + 0.01 * Math.abs(ROW - columns);
        if (cost < best.cost - 1e-9) best = { scale, columns, slot, cost };
      }
    }
  }
  const { scale } = best;
  const [step, gap] = sizes(scale);
  const plate = shape(scale, best.columns, best.slot);
  const place = (slot: number) => ({
    x: plate.x + gap + (slot % best.columns) * step, y: plate.y + gap + Math.floor(slot / best.columns) * step, scale,
  });
  const slots: Spread["slots"] = new Map([[anchor, place(best.slot)]]);
  let slot = 0;
  for (const name of [...order].reverse()) {
    if (name === anchor) continue;
    if (slot === best.slot) slot++;
    slots.set(name, place(slot++));
  }
  return { slots, plate };
}

/** The other stacks so near that a fan could cover them. */
function neighbours(hex: HexOnBoard, stacks: ReadonlyMap<string, readonly string[]>, board: Board, far: number): HexOnBoard[] {
  const found: HexOnBoard[] = [];
  for (const at of stacks.keys()) {
    const other = board.hex(at);
    if (other && other !== hex && Math.abs(other.x - hex.x) < far && Math.abs(other.y - hex.y) < far) found.push(other);
  }
  return found;
}

/** How much of a plate is out of sight, in pixels of the map. */
const outOf = (sight: Box, { x, y, width, height }: Plate): number =>
  Math.max(0, sight.left - x) + Math.max(0, x + width - sight.right) + Math.max(0, sight.top - y) + Math.max(0, y + height - sight.bottom);

/** How many counters of other stacks a plate covers, in parts. */
function covered(near: readonly HexOnBoard[], side: number, { x, y, width, height }: Plate): number {
  const overlap = (from: number, to: number, middle: number): number => Math.max(0, Math.min(to, middle + side / 2) - Math.max(from, middle - side / 2)) / side;
  return near.reduce((sum, hex) => sum + overlap(x, x + width, hex.x) * overlap(y, y + height, hex.y), 0);
}

const same = (a: Placed, b: Placed): boolean =>
  a.at === b.at && a.x === b.x && a.y === b.y && a.scale === b.scale && a.z === b.z && a.depth === b.depth && a.count === b.count && a.fanned === b.fanned;

/** Where a glide begins: where the map is, or, if that is further than a window away, a part of a window before the goal. */
export function glideFrom(from: Point, to: Point, size: { width: number; height: number }, zoom: number, part: number): Point {
  const windows = Math.max((Math.abs(from.x - to.x) * zoom) / size.width, (Math.abs(from.y - to.y) * zoom) / size.height);
  if (windows <= 1) return from;
  return { x: to.x + ((from.x - to.x) * part) / windows, y: to.y + ((from.y - to.y) * part) / windows };
}
