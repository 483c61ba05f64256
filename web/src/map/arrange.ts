/** Where each counter lies: one on another with two edges showing, or fanned out. */

import type { Board, Box } from "../lib/geometry";
import type { HexOnBoard } from "../lib/types";

export const COUNTER = 42;
const EDGE = 3.2;
const GAP = 7;
const ROW = 5;
const READABLE = 1.15;
const VISIBLE = 0.6;
const LARGEST = 1.35;

/** What the window shows: how large, and which part of the map. */
export interface Window {
  zoom: number;
  sight: Box;
}

export interface Placed {
  name: string;
  at: string;
  x: number;
  y: number;
  scale: number;
  /** Height in the pile. */
  z: number;
  /** How many lie on it; 0 is the top. */
  depth: number;
  count: number;
  fanned: boolean;
}

/**
 * A place for every unit that is on the map. `first` ranks those that ought to lie on top. A counter that stays where it
 * is keeps its object, so that nothing is drawn for it.
 */
export function arrange(
  stacks: ReadonlyMap<string, readonly string[]>,
  board: Board,
  first: (name: string) => number,
  fanned: string | null,
  window: Window,
  last: ReadonlyMap<string, Placed>,
): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const [at, names] of stacks) {
    const hex = board.hex(at);
    if (!hex) continue;
    const spread = at === fanned && names.length > 1;
    const order = names.length > 1 && !spread ? [...names].sort((a, b) => first(a) - first(b)) : names;
    order.forEach((name, i) => {
      const depth = spread ? 0 : order.length - 1 - i;
      const where = spread ? fanPlace(hex, i, order.length, window) : pilePlace(hex, depth, window);
      const next: Placed = {
        name, at, depth, count: order.length, fanned: spread, z: spread ? 50 + i : 10 - Math.min(depth, 9), ...where,
      };
      const before = last.get(name);
      placed.set(name, before && same(before, next) ? before : next);
    });
  }
  // The page keeps its order whoever moves: a piece that changes its place among its fellows would lose its slide.
  return new Map([...placed].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pilePlace(hex: HexOnBoard, depth: number, { zoom }: Window): { x: number; y: number; scale: number } {
  // From afar a counter fills its hex.
  const scale = Math.max(1, Math.min(LARGEST, VISIBLE / zoom));
  const up = Math.min(depth, 2) * EDGE;
  return { x: hex.x - (COUNTER * scale) / 2 + up, y: hex.y - (COUNTER * scale) / 2 - up, scale };
}

/** How much larger a fan is drawn than the map, so that it can be read from afar. */
const fanScale = ({ zoom }: Window): number => Math.max(1, READABLE / zoom);

function fanPlace(hex: HexOnBoard, i: number, count: number, window: Window): { x: number; y: number; scale: number } {
  const scale = fanScale(window);
  const step = (COUNTER + GAP) * scale;
  const plate = fanPlate(count, hex, window);
  return { x: plate.x + GAP * scale + (i % ROW) * step, y: plate.y + GAP * scale + Math.floor(i / ROW) * step, scale };
}

/** The plate under a fan: around its hex, but within sight. */
export function fanPlate(count: number, hex: HexOnBoard, window: Window): { x: number; y: number; width: number; height: number } {
  const scale = fanScale(window);
  const step = (COUNTER + GAP) * scale;
  const width = Math.min(count, ROW) * step + GAP * scale;
  const height = Math.ceil(count / ROW) * step + GAP * scale;
  const { left, right, top, bottom } = window.sight;
  const within = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
  return { x: within(hex.x - width / 2, left, right - width), y: within(hex.y - height / 2, top, bottom - height), width, height };
}

const same = (a: Placed, b: Placed): boolean =>
  a.at === b.at && a.x === b.x && a.y === b.y && a.scale === b.scale && a.z === b.z && a.depth === b.depth && a.count === b.count && a.fanned === b.fanned;
