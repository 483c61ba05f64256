import { describe, expect, it } from "vitest";
import { forget, levelOf, restMs, squares } from "../src/map/ground";

const board = { width: 3000, height: 2000 };
const sight = { left: 1200, top: 1100, right: 1900, bottom: 1900 };

describe("the squares of the ground", () => {
  it("are those in sight first", () => {
    const { seen } = squares(board, sight, 1);
    expect(seen).toEqual([{ column: 1, row: 1 }]);
  });

  it("cover the whole board between them", () => {
    const { seen, others } = squares(board, sight, 1);
    expect(seen.length + others.length).toBe(3 * 2);
  });

  it("are more and finer nearer by", () => {
    const { seen, others } = squares(board, sight, 2);
    expect(seen.length).toBe(4);
    expect(seen.length + others.length).toBe(6 * 4);
  });

  it("come from the middle outwards", () => {
    const { others } = squares(board, sight, 1);
    expect(others.at(-1)).toEqual({ column: 0, row: 0 });
    expect(others[0]).toEqual({ column: 1, row: 0 });
  });
});

describe("zoom levels", () => {
  it("are never coarser than the zoom, and at most half as fine again", () => {
    for (let zoom = 0.1; zoom < 4; zoom *= 1.07) {
      expect(levelOf(zoom)).toBeGreaterThanOrEqual(zoom * 0.99);
      expect(levelOf(zoom)).toBeLessThan(zoom * 1.5);
    }
  });

  it("are few: a small change of the zoom needs no drawing", () => {
    expect(new Set([0.75, 0.8, 0.9, 0.99].map(levelOf)).size).toBe(1);
  });
});

describe("squares that were drawn", () => {
  const square = (gone: string[], key: string) => [key, { remove: () => gone.push(key) }] as const;
  const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

  it("are kept while there is room", () => {
    const gone: string[] = [];
    const drawn = new Map(numbered(0, 10).map((key) => square(gone, key)));
    forget(drawn, new Set(["9"]), new Set());
    expect([gone, drawn.size]).toEqual([[], 10]);
  });

  it("are forgotten in the order in which they were last in sight", () => {
    const gone: string[] = [];
    const drawn = new Map(numbered(0, 40).map((key) => square(gone, key)));
    forget(drawn, new Set(["0"]), new Set(["1"]));
    expect(drawn.has("0") && drawn.has("1") && drawn.has("39")).toBe(true);
    expect(gone.sort()).toEqual(numbered(2, 20).sort());
  });
});

describe("drawing the ground", () => {
  it("waits for the answer to a click, however long ago the press was, but not for ever", () => {
    expect(restMs(50, true, true)).toBeGreaterThan(0);
    expect(restMs(1_000, true, true)).toBeGreaterThan(0);
    expect(restMs(10_000, true, true)).toBe(0);
  });

  it("waits for a moment after a press, and longer for what is not in sight", () => {
    expect(restMs(1_000, true, false)).toBe(0);
    expect(restMs(200, true, false)).toBe(0);
    expect(restMs(50, true, false)).toBeGreaterThan(0);
    expect(restMs(200, false, false)).toBeGreaterThan(0);
  });
});
