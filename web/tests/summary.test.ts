import { expect, test } from "vitest";
import type { SummaryLine } from "../src/lib/types";
import { grouped, inOwnTurn } from "../src/table/summary";

const line = (kind: SummaryLine["kind"], side: string | null, text: string): SummaryLine => ({ kind, side, text, at: "0101", units: [], rule: "" });

test("lines are grouped by kind, the own side's first", () => {
  const lines = [line("arrival", "Blue", "c"), line("loss", "Blue", "a"), line("loss", "Red", "b")];
  expect(grouped({ side: "Red", lines }).map(({ title, lines }) => [title, lines.map(({ text }) => text)])).toEqual([["Losses", ["b", "a"]], ["Arrivals", ["c"]]]);
});

test("a reaction in the enemy's turn brings no summary", () => {
  const phases = [{ name: "red movement", side: "Red", rule: "" }, { name: "blue movement", side: "Blue", rule: "" }];
  expect(inOwnTurn({ phases, phase: "red movement", viewer: "Red" })).toBe(true);
  expect(inOwnTurn({ phases, phase: "blue movement", viewer: "Red" })).toBe(false);
  expect(inOwnTurn({ phases, phase: "red movement", viewer: null })).toBe(false);
  const whole = ["Red", "Blue", "Red", "Blue", "Blue"].map((side, at) => ({ name: `phase ${at}`, side, rule: "" }));
  expect(whole.map(({ name }) => inOwnTurn({ phases: whole, phase: name, viewer: "Blue" }))).toEqual([false, false, false, true, true]);
});

test("air missions of both sides between the phases of a side belong to its turn", () => {
  const sides = ["Blue", "Red", "Red", "Blue", "Red", "Red", "Blue", "Blue"];
  const phases = sides.map((side, at) => ({ name: `phase ${at}`, side, rule: "" }));
  expect(phases.map(({ name }) => inOwnTurn({ phases, phase: name, viewer: "Red" }))).toEqual([false, true, true, true, true, true, false, false]);
});
