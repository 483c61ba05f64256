import { expect, test } from "vitest";
import { figure, pointOf, position } from "../src/lib/hexfacts";

test("a straight way is called by its wind, a slanted one by the half wind", () => {
  expect([[1, 0], [0, -1], [0.5, -0.87], [-0.87, 0.5]].map(([dx, dy]) => pointOf({ dx: dx!, dy: dy! }))).toEqual(["E", "N", "NE", "SW"]);
});

test("a position is told in degrees and minutes", () => {
  expect(position({ lat: 32.083, lon: -23.5 })).toBe("32°05′ N, 23°30′ W");
});

test("a long list of figures is cut", () => {
  expect(figure(Array.from({ length: 20 }, (_, i) => i))).toMatch(/, 11 and 8 more$/);
});

test("figures within figures are told in words", () => {
  expect(figure({ port: true, size: 3 })).toBe("port: yes; size: 3");
});
