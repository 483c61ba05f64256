import { describe, expect, it } from "vitest";
import { arrange, fanPlate, type Placed } from "../src/map/arrange";
import { board } from "./sample";

const sample = board();
const window = { zoom: 1, sight: { left: -1000, top: -1000, right: 1000, bottom: 1000 } };
const none = new Map<string, Placed>();
const lay = (stacks: Record<string, string[]>, fanned: string | null = null, last = none, first = (_: string) => 0) =>
  arrange(new Map(Object.entries(stacks)), sample, first, fanned, window, last);

describe("counters", () => {
  it("lie in the middle of their hex", () => {
    const hex = sample.hex("0202")!;
    expect(lay({ "0202": ["a"] }).get("a")).toMatchObject({ x: hex.x - 21, y: hex.y - 21, depth: 0, count: 1 });
  });

  it("that are not on the map are not laid", () => {
    expect(lay({ Box: ["a"] }).size).toBe(0);
  });

  it("fill their hex when seen from afar, and no more", () => {
    const placed = arrange(new Map([["0202", ["a"]]]), sample, () => 0, null, { ...window, zoom: 0.2 }, none).get("a")!;
    expect(placed.scale * 42).toBeGreaterThan(50);
    expect(placed.scale * 42).toBeLessThan(60);
  });

  it("show two edges of a stack, however high", () => {
    const placed = lay({ "0202": ["a", "b", "c", "d"] });
    const places = new Set([...placed.values()].map(({ x }) => x));
    expect(places.size).toBe(3);
    expect(placed.get("d")!.depth).toBe(0);
  });

  it("that can act lie on top", () => {
    const placed = lay({ "0202": ["a", "b", "c"] }, null, none, (name) => (name === "a" ? 1 : 0));
    expect(placed.get("a")!.depth).toBe(0);
  });

  it("of a fan do not cover each other", () => {
    const placed = [...lay({ "0202": ["a", "b", "c", "d", "e", "f", "g"] }, "0202").values()];
    for (const one of placed) {
      for (const other of placed) {
        if (one !== other) expect(Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y))).toBeGreaterThanOrEqual(42);
      }
    }
  });

  it("of a fan lie on its plate", () => {
    const plate = fanPlate(7, sample.hex("0202")!, window);
    for (const { x, y } of lay({ "0202": ["a", "b", "c", "d", "e", "f", "g"] }, "0202").values()) {
      expect(x).toBeGreaterThan(plate.x);
      expect(y).toBeGreaterThan(plate.y);
      expect(x + 42).toBeLessThan(plate.x + plate.width);
      expect(y + 42).toBeLessThan(plate.y + plate.height);
    }
  });

  it("of a fan stay in sight at the edge of the window", () => {
    const hex = sample.hex("0202")!;
    const plate = fanPlate(5, hex, { zoom: 1, sight: { left: hex.x - 20, top: hex.y - 20, right: 1000, bottom: 1000 } });
    expect(plate.x).toBe(hex.x - 20);
    expect(plate.y).toBe(hex.y - 20);
  });

  it("of a fan are large enough to read from afar", () => {
    expect(fanPlate(2, sample.hex("0202")!, { ...window, zoom: 0.25 }).width).toBeGreaterThan(3 * fanPlate(2, sample.hex("0202")!, window).width);
  });

  it("that stay keep their object, so that nothing is drawn", () => {
    const before = lay({ "0101": ["a"], "0202": ["b"] });
    const after = lay({ "0102": ["a"], "0202": ["b"] }, null, before);
    expect(after.get("b")).toBe(before.get("b"));
    expect(after.get("a")).not.toBe(before.get("a"));
  });

  it("keep their order on the page whoever moves", () => {
    expect([...lay({ "0202": ["b"], "0101": ["a"] }).keys()]).toEqual(["a", "b"]);
  });
});
