import { expect, test } from "vitest";
import { turnsOf } from "../src/panels/sequence";

const phases = [
  { name: "weather", side: null, rule: "1" }, { name: "red moves", side: "Red", rule: "2" },
  { name: "red fights", side: "Red", rule: "3" }, { name: "blue moves", side: "Blue", rule: "2" },
];

test("neighbouring phases of one side are one part", () => {
  expect(turnsOf(phases, "red moves").map(({ side, phases }) => [side, phases.length])).toEqual([[null, 1], ["Red", 2], ["Blue", 1]]);
});

test("what is before the present phase is done, what is after it to come", () => {
  expect(turnsOf(phases, "red fights").flatMap(({ phases }) => phases.map(({ state }) => state))).toEqual(["done", "done", "now", "later"]);
});

test("a part is under way while one of its phases is", () => {
  expect(turnsOf(phases, "red moves").map(({ state }) => state)).toEqual(["done", "now", "later"]);
});

test("nothing is done in a phase that the list does not name", () => {
  expect(turnsOf(phases, "set-up").every(({ state }) => state === "later")).toBe(true);
});

test("a part is named by its side and by what its phases have in common besides", () => {
  const twice = ["impulse 1 red move", "impulse 1 red fight", "impulse 1 blue move", "impulse 1 blue fight", "impulse 2 red move", "impulse 2 red fight"]
    .map((name) => ({ name, side: name.includes("red") ? "Red" : "Blue", rule: "" }));
  expect(turnsOf(twice, "").map(({ title }) => title)).toEqual(["Red, impulse 1", "Blue, impulse 1", "Red, impulse 2"]);
  expect(turnsOf(twice, "")[0]?.phases.map(({ short }) => short)).toEqual(["move", "fight"]);
  expect(turnsOf(phases, "").map(({ title }) => title)).toEqual(["Both sides", "Red", "Blue"]);
  expect(turnsOf(phases, "")[1]?.phases.map(({ short }) => short)).toEqual(["red moves", "red fights"]);
});
