/** The geometry of a board: hexes by number and by pixel, their neighbours, outlines and paths. */

import type { BoardData, BoxOnBoard, HexOnBoard } from "./types";

export interface Point {
  x: number;
  y: number;
}

/** A direction: the offset of the neighbour's centre, and the two corners of the hexside between. */
interface Way {
  dx: number;
  dy: number;
  from: readonly [number, number];
  to: readonly [number, number];
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class Board {
  readonly id: string;
  readonly title: string;
  readonly km: number | null;
  readonly width: number;
  readonly height: number;
  /** Pixels from one hex centre to the next. */
  readonly scale: number;
  readonly hexes: HexOnBoard[];
  readonly boxes: BoxOnBoard[];
  readonly ways: Way[];
  readonly #corners: [number, number][];
  readonly #byNumber: Map<string, HexOnBoard>;
  readonly #cells = new Map<number, HexOnBoard[]>();
  /** The neighbour at each hexside, or null; found on first use. */
  readonly #beside = new Map<HexOnBoard, (HexOnBoard | null)[]>();

  constructor(readonly data: BoardData) {
    this.id = data.id;
    this.title = data.title;
    this.km = data.km;
    this.width = data.width;
    this.height = data.height;
    this.scale = data.scale;
    this.hexes = data.hexes;
    this.boxes = data.boxes;
    this.#corners = data.corners as [number, number][];
    this.#byNumber = new Map(data.hexes.map((hex) => [hex.number, hex]));
    for (const hex of data.hexes) {
      const cell = this.#cell(hex.x, hex.y);
      const there = this.#cells.get(cell);
      if (there) there.push(hex);
      else this.#cells.set(cell, [hex]);
    }
    this.ways = this.#corners.map((from, i) => {
      const to = this.#corners[(i + 1) % this.#corners.length]!;
      return { dx: from[0] + to[0], dy: from[1] + to[1], from, to };
    });
  }

  /** A hex by its printed number, or null if there is none. */
  hex(number: string | null | undefined): HexOnBoard | null {
    return (number != null && this.#byNumber.get(number)) || null;
  }

  /** The hex at a pixel of the map, or null. */
  at(x: number, y: number): HexOnBoard | null {
    let best: HexOnBoard | null = null;
    let least = Infinity;
    for (let i = -1; i <= 1; i++) {
      for (let j = -1; j <= 1; j++) {
        for (const hex of this.#cells.get(this.#cell(x + i * this.scale, y + j * this.scale)) ?? []) {
          const far = (hex.x - x) ** 2 + (hex.y - y) ** 2;
          if (far < least) [best, least] = [hex, far];
        }
      }
    }
    if (!best) return null;
    const { x: cx, y: cy } = best;
    const reach = (this.scale * this.scale) / 2;
    return this.ways.every(({ dx, dy }) => (x - cx) * dx + (y - cy) * dy <= reach + 1) ? best : null;
  }

  /** The neighbours of a hex that are on the board. */
  neighbours(hex: HexOnBoard): HexOnBoard[] {
    return this.#around(hex).filter((next) => next !== null);
  }

  #around(hex: HexOnBoard): (HexOnBoard | null)[] {
    let found = this.#beside.get(hex);
    if (!found) this.#beside.set(hex, (found = this.ways.map(({ dx, dy }) => this.at(hex.x + dx, hex.y + dy))));
    return found;
  }

  /**
   * The hex next to one in the direction of an arrow key. Where the grid has two that lead there, the one nearer to
   * the line through `keep` is taken, so that repeated keys stay on course.
   */
  step(hex: HexOnBoard, dx: number, dy: number, keep: Point = hex): HexOnBoard | null {
    let best: HexOnBoard | null = null;
    let least = Infinity;
    for (const next of this.neighbours(hex)) {
      const along = (next.x - hex.x) * dx + (next.y - hex.y) * dy;
      if (along < this.scale * 0.6) continue;
      const aside = Math.abs((next.x - keep.x) * dy - (next.y - keep.y) * dx);
      const score = aside - along * 0.01;
      if (score < least) [best, least] = [next, score];
    }
    return best;
  }

  /** The outline of one hex as an SVG path. */
  outline(hex: Point, shrink = 1): string {
    return `M${this.#corners.map(([x, y]) => `${round(hex.x + x * shrink)} ${round(hex.y + y * shrink)}`).join("L")}Z`;
  }

  /** The hexes of a list filled, as one path. */
  fill(numbers: Iterable<string>, shrink = 1): string {
    const parts: string[] = [];
    for (const number of numbers) {
      const hex = this.hex(number);
      if (hex) parts.push(this.outline(hex, shrink));
    }
    return parts.join("");
  }

  /** The rim around a group of hexes, as one path: every hexside whose other hex is not in it. `isIn` may name further hexes. */
  rim(numbers: Iterable<string>, isIn?: (number: string) => boolean): string {
    const group = new Set(numbers);
    const parts: string[] = [];
    for (const number of group) {
      const hex = this.hex(number);
      if (!hex) continue;
      this.#around(hex).forEach((next, i) => {
        if (next && (group.has(next.number) || isIn?.(next.number))) return;
        const { from, to } = this.ways[i]!;
        parts.push(`M${round(hex.x + from[0])} ${round(hex.y + from[1])}L${round(hex.x + to[0])} ${round(hex.y + to[1])}`);
      });
    }
    return parts.join("");
  }

  /** A line from centre to centre with rounded bends. Locations that are not on the map are left out. */
  line(numbers: readonly string[]): string {
    const points = numbers.map((number) => this.hex(number)).filter((hex) => hex !== null);
    return smooth(points, this.scale * 0.3);
  }

  /** The smallest rectangle around some locations, or null if none of them is on the map. */
  around(numbers: Iterable<string>): Box | null {
    let box: Box | null = null;
    for (const number of numbers) {
      const hex = this.hex(number);
      if (!hex) continue;
      box ??= { left: hex.x, right: hex.x, top: hex.y, bottom: hex.y };
      box.left = Math.min(box.left, hex.x);
      box.right = Math.max(box.right, hex.x);
      box.top = Math.min(box.top, hex.y);
      box.bottom = Math.max(box.bottom, hex.y);
    }
    return box;
  }

  /** The name of a hex: its number, and its place if it has one. */
  name(number: string): string {
    const place = this.hex(number)?.places[0];
    return place ? `${number} ${place.name}` : number;
  }

  #cell(x: number, y: number): number {
    return Math.floor(x / this.scale) + 8192 * Math.floor(y / this.scale);
  }
}

export const isInside = ({ x, y }: Point, { left, top, right, bottom }: Box): boolean => x >= left && x <= right && y >= top && y <= bottom;

/** A line through points whose bends are rounded off. */
export function smooth(points: readonly Point[], radius: number): string {
  if (points.length < 2) return "";
  const first = points[0]!;
  let path = `M${round(first.x)} ${round(first.y)}`;
  for (let i = 1; i < points.length - 1; i++) {
    const [before, here, after] = [points[i - 1]!, points[i]!, points[i + 1]!];
    const enter = towards(here, before, radius);
    const leave = towards(here, after, radius);
    path += `L${round(enter.x)} ${round(enter.y)}Q${round(here.x)} ${round(here.y)} ${round(leave.x)} ${round(leave.y)}`;
  }
  const last = points[points.length - 1]!;
  return `${path}L${round(last.x)} ${round(last.y)}`;
}

function towards(from: Point, to: Point, far: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(0.5, far / length);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * The path to a location of a reach, from the stack to the location. Each step names the one before it, or the
 * whole path before it; a step that names itself, nothing, or one already passed is the start.
 */
export function wayTo(reach: Readonly<Record<string, { before: string; path?: string[] }>>, target: string): string[] {
  const way = [target];
  const seen = new Set(way);
  for (let here = reach[target]?.before; here && !seen.has(here); here = reach[here]?.before) {
    const path = reach[way.at(-1)!]?.path;
    if (path) return [...path, ...way.reverse()];
    way.push(here);
    seen.add(here);
  }
  return way.reverse();
}
