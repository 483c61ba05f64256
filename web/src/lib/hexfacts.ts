/** The data of one hex in words: its neighbours, the features of its hexsides, its areas. */

import type { Board } from "./geometry";
import { grouped } from "./grouped";
import type { BoardData, HexOnBoard } from "./types";

export type AreaOnBoard = BoardData["areas"][number];
export type SideKind = BoardData["kinds"][number];
export type SideOnBoard = BoardData["sides"][number];

export type Point = "N" | "NE" | "E" | "SE" | "S" | "SW" | "W" | "NW";

const POINTS: Point[] = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];

export const CLOCKWISE: Point[] = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

export const WORDS: Record<Point, string> = {
  N: "north", NE: "north-east", E: "east", SE: "south-east", S: "south", SW: "south-west", W: "west", NW: "north-west",
};

/** A feature of one hexside: its direction, and the hex beyond. */
export interface Feature {
  side: SideOnBoard;
  kind: SideKind;
  to: HexOnBoard;
  way: number;
}

/** The compass point of a direction; slanted hexsides are 30 or 60 degrees from the axis, and both are named by the half wind. */
export function pointOf({ dx, dy }: { dx: number; dy: number }): Point {
  const turn = (Math.atan2(-dy, dx) * 180) / Math.PI;
  const straight = Math.abs(Math.round(turn / 90) * 90 - turn) < 5;
  const eighth = straight ? Math.round(turn / 90) * 2 : Math.floor(turn / 90) * 2 + 1;
  return POINTS[(eighth + 8) % 8]!;
}

/** The data of a board, hex by hex. */
export class HexFacts {
  readonly kinds: Map<string, SideKind>;
  readonly points: Point[];
  readonly #sides = new Map<string, SideOnBoard[]>();
  readonly #areas = new Map<string, AreaOnBoard[]>();

  constructor(readonly board: Board) {
    const { data } = board;
    this.kinds = new Map(data.kinds.map((kind) => [kind.name, kind]));
    this.points = board.ways.map(pointOf);
    for (const side of data.sides) for (const number of [side.a, side.b]) push(this.#sides, number, side);
    for (const area of data.areas) for (const number of area.hexes) push(this.#areas, number, area);
  }

  /** All features of the six hexsides of a hex. */
  features(hex: HexOnBoard): Feature[] {
    return (this.#sides.get(hex.number) ?? []).flatMap((side) => {
      const to = this.board.hex(side.a === hex.number ? side.b : side.a);
      const kind = this.kinds.get(side.kind);
      return to && kind ? [{ side, kind, to, way: this.wayTo(hex, to) }] : [];
    });
  }

  /** The areas a hex belongs to. */
  areas(hex: HexOnBoard): AreaOnBoard[] {
    return this.#areas.get(hex.number) ?? [];
  }

  /** The direction from a hex to its neighbour. */
  wayTo(from: HexOnBoard, to: HexOnBoard): number {
    const along = this.board.ways.map(({ dx, dy }) => (to.x - from.x) * dx + (to.y - from.y) * dy);
    return along.indexOf(Math.max(...along));
  }

  /** One hex in one line, for the foot of the page and screen readers. */
  sentence(hex: HexOnBoard): string {
    const joined = grouped(this.features(hex), ({ kind }) => kind.name);
    const lines = [...joined].map(([kind, features]) => `${kind} ${[...new Set(features.map(({ way }) => this.points[way]))].join(", ")}`);
    return [hex.terrain, ...lines].join(" · ");
  }

  /** The sources of the data of a hex: source -> what. */
  sources(hex: HexOnBoard): Map<string, string[]> {
    const said: [string, string][] = [[hex.source, "ground"]];
    for (const place of hex.places) said.push([place.source, place.name]);
    for (const { side } of this.features(hex)) said.push([side.source, side.kind]);
    for (const area of this.areas(hex)) said.push([area.source, area.name]);
    const found = new Map<string, string[]>();
    for (const [source, what] of said) {
      const known = found.get(source);
      if (!source || known?.includes(what)) continue;
      push(found, source, what);
    }
    return found;
  }
}

/** Latitude and longitude in degrees and minutes. */
export function position({ lat, lon }: { lat: number; lon: number }): string {
  const angle = (value: number, plus: string, minus: string) => {
    const minutes = Math.round(Math.abs(value) * 60);
    return `${Math.floor(minutes / 60)}°${String(minutes % 60).padStart(2, "0")}′ ${value < 0 ? minus : plus}`;
  };
  return `${angle(lat, "N", "S")}, ${angle(lon, "E", "W")}`;
}

/** A value of an area or a box in words. */
export function figure(value: unknown): string {
  if (Array.isArray(value)) {
    const texts = value.map(figure);
    return texts.length > 14 ? `${texts.slice(0, 12).join(", ")} and ${texts.length - 12} more` : texts.join(", ");
  }
  if (value && typeof value === "object") {
    return Object.entries(value).map(([key, inner]) => `${key}: ${figure(inner)}`).join("; ");
  }
  return value === true ? "yes" : value === false ? "no" : String(value);
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
