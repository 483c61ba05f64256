import { describe, expect, it } from "vitest";
import { firstOf } from "../src/lib/describe";

describe("a long list", () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  it("is cut, and says how many are left out", () => {
    expect(firstOf(numbers(64), 20)).toEqual({ first: numbers(20), more: 44 });
  });

  it("is whole if at most one would be left out", () => {
    expect(firstOf(numbers(21), 20)).toEqual({ first: numbers(21), more: 0 });
    expect(firstOf(numbers(22), 20)).toEqual({ first: numbers(20), more: 2 });
    expect(firstOf([], 20)).toEqual({ first: [], more: 0 });
  });
});
