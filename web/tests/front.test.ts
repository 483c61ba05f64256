import { describe, expect, it } from "vitest";
import { front } from "../src/lib/front";
import { board } from "./sample";

const sample = board();
const numbers = sample.hexes.map(({ number }) => number);

describe("where the sides meet", () => {
  it("holds units of both sides", () => {
    const [own, enemy] = [numbers[0]!, numbers[1]!];
    expect(new Set(front(sample, [own], [enemy]))).toEqual(new Set([own, enemy]));
  });
  it("is nowhere without an enemy, or off the map", () => {
    expect(front(sample, [numbers[0]!], [])).toEqual([]);
    expect(front(sample, ["Box"], [numbers[0]!])).toEqual([]);
  });
});
