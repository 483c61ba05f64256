/** A small board and views for the tests. */

import { Board } from "../src/lib/geometry";
import type { BoardData, HexOnBoard, UnitView, View } from "../src/lib/types";

const SCALE = 60;
const HIGH = SCALE / Math.sqrt(3);

/** A board of pointed hexes, `columns` by `rows`, numbered by row and column: "0203" is the third of the second row. */
export function board(columns = 4, rows = 4): Board {
  const hexes: HexOnBoard[] = [];
  for (let row = 1; row <= rows; row++) {
    for (let column = 1; column <= columns; column++) {
      hexes.push({
        number: `${String(row).padStart(2, "0")}${String(column).padStart(2, "0")}`,
        x: column * SCALE + (row % 2 ? SCALE / 2 : 0), y: row * HIGH * 1.5, terrain: "clear", tags: [], places: [], lat: 0, lon: 0, elevation: 0, source: "",
      });
    }
  }
  const data: BoardData = {
    id: "sample", title: "Sample", km: 10, width: 400, height: 400, scale: SCALE, terrains: [], kinds: [], sides: [], areas: [], boxes: [], hexes,
    corners: [[30, HIGH / 2], [30, -HIGH / 2], [0, -HIGH], [-30, -HIGH / 2], [-30, HIGH / 2], [0, HIGH]],
  };
  return new Board(data);
}

export const unit = (at: string): UnitView => ({ at, steps: 1, face: "2-3", back: "", badges: [] });

/** A view with some units, by name and location. */
export function view(units: Record<string, string> = {}, more: Partial<View> = {}): View {
  return {
    id: "m", version: 1, game: "sample", scenario: "s", options: {}, viewer: "Red", clicks: 0, began: 0, made: [], turn: { number: 1, label: "", labels: [] },
    phase: "movement", phases: [], question: null, units: Object.fromEntries(Object.entries(units).map(([name, at]) => [name, unit(at)])),
    marks: [], tracks: [], budget: [], objectives: [], log_from: 0, log: [], result: null, dice: { commitment: "", key: null, chosen: false, contributions: [] }, opened: false, frozen: null, ...more,
  };
}
