import { describe, expect, it } from "vitest";
import { smooth, wayTo } from "../src/lib/geometry";
import { board } from "./sample";

const sample = board();

describe("a board", () => {
  it("finds the hex that holds a pixel", () => {
    const hex = sample.hex("0203")!;
    expect(sample.at(hex.x, hex.y)).toBe(hex);
    expect(sample.at(hex.x + 29, hex.y)).toBe(hex);
    expect(sample.at(hex.x, hex.y - 34)).toBe(hex);
  });

  it("gives the next hex just beyond a side", () => {
    const hex = sample.hex("0202")!;
    expect(sample.at(hex.x + 32, hex.y)?.number).toBe("0203");
  });

  it("finds nothing beyond its edge", () => {
    expect(sample.at(-50, 20)).toBeNull();
    expect(sample.at(4000, 4000)).toBeNull();
  });

  it("knows six neighbours inside and fewer in a corner", () => {
    expect(sample.neighbours(sample.hex("0202")!)).toHaveLength(6);
    expect(sample.neighbours(sample.hex("0404")!)).toHaveLength(3);
  });

  it("steps across along a row", () => {
    expect(sample.step(sample.hex("0202")!, 1, 0)?.number).toBe("0203");
    expect(sample.step(sample.hex("0202")!, -1, 0)?.number).toBe("0201");
  });

  it("keeps its column when it steps down again and again", () => {
    const start = sample.hex("0102")!;
    const second = sample.step(start, 0, 1, start)!;
    const third = sample.step(second, 0, 1, start)!;
    expect(Math.abs(second.x - start.x)).toBe(30);
    expect(third.number).toBe("0302");
  });

  it("stops at the edge", () => {
    expect(sample.step(sample.hex("0204")!, 1, 0)).toBeNull();
  });

  it("draws the rim of a pair without the side between them", () => {
    expect(sample.rim(["0202"]).match(/M/g)).toHaveLength(6);
    expect(sample.rim(["0202", "0203"]).match(/M/g)).toHaveLength(10);
    expect(sample.rim(["0202"], (number) => number === "0203").match(/M/g)).toHaveLength(5);
  });

  it("leaves out of a fill and a line what is no hex", () => {
    expect(sample.fill(["0202", "Box"]).match(/Z/g)).toHaveLength(1);
    expect(sample.line(["Box", "0202"])).toBe("");
  });

  it("measures the rectangle around locations", () => {
    const box = sample.around(["0202", "Box", "0203"])!;
    expect(box.right - box.left).toBe(60);
    expect(box.top).toBe(box.bottom);
    expect(sample.around(["Box"])).toBeNull();
  });
});

describe("a path", () => {
  it("is empty for a single point", () => {
    expect(smooth([{ x: 1, y: 1 }], 5)).toBe("");
  });

  it("rounds its bends", () => {
    const path = smooth([{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 10, y: 10 }], 3);
    expect(path).toBe("M0 0L7 0Q10 0 10 3L10 10");
  });
});

describe("a way", () => {
  const reach = { c: { before: "b" }, b: { before: "a" } };

  it("leads from the start to the target", () => {
    expect(wayTo(reach, "c")).toEqual(["a", "b", "c"]);
  });

  it("ends where a step names itself or one that was passed", () => {
    expect(wayTo({ b: { before: "a" }, c: { before: "b", path: ["a", "x", "b"] }, d: { before: "c" } }, "d")).toEqual(["a", "x", "b", "c", "d"]);
    expect(wayTo({ a: { before: "a" }, b: { before: "a" } }, "b")).toEqual(["a", "b"]);
    expect(wayTo({ a: { before: "b" }, b: { before: "a" } }, "b")).toEqual(["a", "b"]);
  });
});
