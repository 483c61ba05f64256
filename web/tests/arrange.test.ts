import { describe, expect, it } from "vitest";
import { classRank } from "../src/lib/symbolclass";
import { arrange, BURIED, fanOut, glideFrom, type Fan, type Placed, type Ranks } from "../src/map/arrange";
import { board } from "./sample";

const sample = board();
const window = { zoom: 1, sight: { left: -1000, top: -1000, right: 1000, bottom: 1000 } };
const none = new Map<string, Placed>();
const flat: Ranks = { pile: () => 0, fan: () => 0 };
const fanAt = (at: string, unit: string | null = null, depth = 0): Fan => ({ at, unit, depth });
const lay = (stacks: Record<string, string[]>, fan: Fan | null = null, last = none, ranks = flat, seen = window) =>
  arrange(new Map(Object.entries(stacks)), sample, ranks, fan, seen, last);
const SEVEN = ["a", "b", "c", "d", "e", "f", "g"];
const plateOf = (names: string[], seen = window, fan = fanAt("0202")) =>
  fanOut(names, sample.hex("0202")!, fan, seen, new Map([["0202", names]]), sample).plate;

describe("counters", () => {
  it("are in the middle of their hex", () => {
    const hex = sample.hex("0202")!;
    expect(lay({ "0202": ["a"] }).get("a")).toMatchObject({ x: hex.x - 21, y: hex.y - 21, depth: 0, count: 1 });
  });

  it("that are not on the map are left out", () => {
    expect(lay({ Box: ["a"] }).size).toBe(0);
  });

  it("are drawn larger from afar, within limits", () => {
    const placed = lay({ "0202": ["a"] }, null, none, flat, { ...window, zoom: 0.2 }).get("a")!;
    expect(placed.scale).toBeGreaterThan(1.5);
    expect(placed.scale).toBeLessThan(2);
  });

  it("show two edges of a stack, however high", () => {
    const placed = lay({ "0202": ["a", "b", "c", "d"] });
    const places = new Set([...placed.values()].map(({ x }) => x));
    expect(places.size).toBe(3);
    expect(placed.get("d")!.depth).toBe(0);
  });

  it("of the highest rank are on top", () => {
    const placed = lay({ "0202": ["a", "b", "c"] }, null, none, { ...flat, pile: (name) => (name === "a" ? 1 : 0) });
    expect(placed.get("a")!.depth).toBe(0);
  });

  it("that cannot be told apart are one counter of a fan, with their number", () => {
    const ranks = { ...flat, back: (name: string) => (name < "d" ? "enemy unit" : name === "d" ? "enemy trucks" : "") };
    const placed = lay({ "0202": SEVEN }, fanAt("0202", "b"), none, ranks);
    const shown = [...placed.values()].filter(({ depth }) => depth === 0);
    expect(shown.map(({ name, count }) => [name, count])).toEqual([["b", 3], ["d", 1], ["e", 1], ["f", 1], ["g", 1]]);
    expect(new Set(shown.map(({ x, y }) => `${x} ${y}`)).size).toBe(5);
    expect(placed.get("a")).toMatchObject({ depth: BURIED, x: placed.get("b")!.x, y: placed.get("b")!.y });
  });

  it("rank by symbol: combat units, other units, supply and installations, markers", () => {
    const ranks = ["SFGPUCA----F***", "SFGPU-----A-***", "SFGPUST-----***", ""].map(classRank);
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
    expect(ranks[0]).toBeGreaterThan(ranks[2]!);
    expect(classRank("SFGPIBA---H-***")).toBe(classRank("SFGPUST-----***"));
  });

  it("of a fan leave the hexes free that can be clicked, where there is room", () => {
    const hex = sample.hex("0202")!;
    const beside = sample.neighbours(hex).filter(({ x }) => x !== hex.x);
    const names = ["a", "b", "c"];
    const covers = (legal: typeof beside): number => {
      const { x, y, width, height } = plateOf(names, { ...window, legal } as typeof window);
      return beside.filter((one) => one.x > x && one.x < x + width && one.y > y && one.y < y + height).length;
    };
    expect(covers(beside)).toBeLessThan(covers([]));
  });

  it("of a fan do not cover each other", () => {
    const placed = [...lay({ "0202": SEVEN }, fanAt("0202")).values()];
    for (const one of placed) {
      for (const other of placed) {
        if (one !== other) expect(Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y))).toBeGreaterThanOrEqual(42);
      }
    }
  });

  it("of a fan are on its plate", () => {
    const plate = plateOf(SEVEN);
    for (const { x, y } of lay({ "0202": SEVEN }, fanAt("0202")).values()) {
      expect(x).toBeGreaterThan(plate.x);
      expect(y).toBeGreaterThan(plate.y);
      expect(x + 42).toBeLessThan(plate.x + plate.width);
      expect(y + 42).toBeLessThan(plate.y + plate.height);
    }
  });

  it("of a fan: the one under the pointer keeps its centre, at every depth, zoom and edge of the window", () => {
    const hex = sample.hex("0202")!;
    for (const zoom of [0.25, 0.5, 1, 2]) {
      for (const sight of [window.sight, { left: hex.x - 30, top: hex.y - 30, right: 1000, bottom: 1000 }]) {
        const pile = lay({ "0202": SEVEN }, null, none, flat, { zoom, sight });
        for (const name of SEVEN) {
          const before = pile.get(name)!;
          const after = lay({ "0202": SEVEN }, fanAt("0202", name, before.depth), none, flat, { zoom, sight }).get(name)!;
          expect(after.x + 21 * after.scale).toBeCloseTo(before.x + 21 * before.scale);
          expect(after.y + 21 * after.scale).toBeCloseTo(before.y + 21 * before.scale);
          expect(after.scale).toBeGreaterThanOrEqual(before.scale);
        }
      }
    }
  });

  it("of a fan stay in sight at the edge of the window", () => {
    const hex = sample.hex("0202")!;
    const plate = plateOf(["a", "b", "c", "d", "e"], { zoom: 1, sight: { left: hex.x - 40, top: hex.y - 40, right: 1000, bottom: 1000 } });
    expect(plate.x).toBeGreaterThanOrEqual(hex.x - 40);
    expect(plate.y).toBeGreaterThanOrEqual(hex.y - 40);
  });

  it("of a fan do not cover the stacks around it where that can be avoided", () => {
    const hex = sample.hex("0202")!;
    const right = sample.neighbours(hex).find((next) => next.x > hex.x && Math.abs(next.y - hex.y) < 40)!;
    const stacks = new Map([["0202", ["a", "b"]], [right.number, ["c"]]]);
    const { plate } = fanOut(["a", "b"], hex, fanAt("0202"), { ...window, zoom: 0.9 }, stacks, sample);
    expect(right.x > plate.x && right.x < plate.x + plate.width && right.y > plate.y && right.y < plate.y + plate.height).toBe(false);
  });

  it("of a fan are large enough to read from afar", () => {
    expect(plateOf(["a", "b"], { ...window, zoom: 0.25 }).width).toBeGreaterThan(3 * plateOf(["a", "b"]).width);
  });

  it("that stay keep their object, so that they are not drawn again", () => {
    const before = lay({ "0101": ["a"], "0202": ["b"] });
    const after = lay({ "0102": ["a"], "0202": ["b"] }, null, before);
    expect(after.get("b")).toBe(before.get("b"));
    expect(after.get("a")).not.toBe(before.get("a"));
  });

  it("keep their order on the page when one moves", () => {
    expect([...lay({ "0202": ["b"], "0101": ["a"] }).keys()]).toEqual(["a", "b"]);
  });
});

describe("a glide of the map", () => {
  const size = { width: 1000, height: 600 };

  it("begins where the map is, as long as the goal is less than a window away", () => {
    expect(glideFrom({ x: 100, y: 100 }, { x: 900, y: 500 }, size, 1, 0.25)).toEqual({ x: 100, y: 100 });
  });

  it("shows only the end of a longer way, from the same direction", () => {
    expect(glideFrom({ x: 0, y: 0 }, { x: 4000, y: 800 }, size, 1, 0.25)).toEqual({ x: 3750, y: 750 });
    expect(glideFrom({ x: 0, y: 0 }, { x: 800, y: 400 }, size, 2, 0.25)).toEqual({ x: 675, y: 337.5 });
  });
});
