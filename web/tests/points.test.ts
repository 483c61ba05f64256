import { expect, test } from "vitest";
import { points } from "../src/lib/points";

test("whole points are plain numbers", () => {
  expect([0, 1, 12].map(points)).toEqual(["0", "1", "12"]);
});

test("parts of a point are written as at the table", () => {
  expect([0.5, 2.5, 1.25, 1 / 3].map(points)).toEqual(["½", "2½", "1¼", "⅓"]);
});

test("what has no sign of its own is a decimal", () => {
  expect(points(1.2)).toBe("1.2");
  expect([4 + 1 / 6, 5 / 6].map(points)).toEqual(["4⅙", "⅚"]);
});
