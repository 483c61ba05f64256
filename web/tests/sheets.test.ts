import { describe, expect, it } from "vitest";
import { fold, order } from "../src/lib/sheets";
import type { OddsView, Question } from "../src/lib/types";

const sheet = (title: string, attackers: string[], targets: string[], column = "2-1"): OddsView => ({
  title, attackers, targets, column, terms: [], outcomes: [], average: "", options: [],
});
const question = (more: Partial<Question>): Question => ({
  side: "Red", number: 1, kind: "combat.target", prompt: "", rule: "", units: {}, hexes: {}, boxes: {}, buttons: [], blocked: [], can_act: [], warnings: {},
  about: [], moves: [], undoable: false, reach: {}, sheets: [], orders: [], ...more,
});
const told = (...args: Parameters<typeof order>) => order(...args).map((one) => [one.sheet.title, one.note]);

const one = sheet("Combat 1", ["a"], ["0101"]);
const two = sheet("Combat 2", ["b"], ["0102"]);
const targets = question({ hexes: { "0101": "call off", "0102": "change the attack", "0103": "3-1" } });

describe("the sheets of combats", () => {
  it("show the combat of the hex under the pointer first", () => {
    expect(told([one, two], [], null, targets)).toEqual([["Combat 1", ""], ["Combat 2", ""]]);
    expect(order([one, two], [], "0102", targets)[0]!.sheet).toBe(two);
  });
  it("show the combat of the decision before the others", () => {
    expect(told([one, two], [], null, question({ kind: "combat.attackers", about: ["b"] }))[0]![0]).toBe("Combat 2");
  });
  it("say that a click calls an attack off, or changes it, and show it as it is declared", () => {
    const opened = sheet("Combat 2", ["b", "c"], ["0102"], "3-1");
    expect(told([one, two], [one, two], "0101", targets)).toEqual([["Combat 1", "click to call off"], ["Combat 2", ""]]);
    expect(order([one, two], [one, opened], "0102", targets)[0]).toEqual({ sheet: two, note: "click to change the attack" });
  });
  it("mark only the combat that a click would make or change", () => {
    const fresh = sheet("This combat", ["c"], ["0103"]);
    expect(told([one], [one, fresh], "0103", targets)).toEqual([["This combat", "after this click"], ["Combat 1", ""]]);
  });
  it("say that the last target of an attack that is put together calls it off", () => {
    const adding = question({ kind: "combat.attackers", about: ["a"], hexes: { "0101": null, "0103": null } });
    const wide = sheet("This combat", ["a"], ["0101", "0103"]);
    expect(told([one], [], "0101", adding)).toEqual([["Combat 1", "click to call off"]]);
    expect(told([one], [wide], "0103", adding)).toEqual([["This combat", "after this click"]]);
    expect(told([wide], [one], "0103", adding)).toEqual([["Combat 1", "after this click"]]);
  });
});

describe("a resolved combat", () => {
  it("folds all but its latest lines", () => {
    const lines = Array.from({ length: 11 }, (_, i) => i);
    expect(fold(lines)).toEqual({ earlier: [0, 1, 2], latest: [3, 4, 5, 6, 7, 8, 9, 10] });
    expect(fold(lines.slice(0, 8)).earlier).toEqual([]);
  });
});
