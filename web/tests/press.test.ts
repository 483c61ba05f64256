import { describe, expect, it, test } from "vitest";
import { cancelOf, intend, isAmbiguous, meansOther, meetsOthers, onlySelects, whatOf, type Around, type Press } from "../src/lib/press";
import type { Question } from "../src/lib/types";

const STACKS: Record<string, string[]> = { "0101": ["a", "b", "c"], "0102": ["d"], "0103": ["e"], "0104": ["x"] };
const around: Around = {
  unitsAt: (hex) => STACKS[hex] ?? [],
  at: (unit) => Object.keys(STACKS).find((hex) => STACKS[hex]!.includes(unit)) ?? null,
  isOwn: (unit) => unit !== "x",
  ready: new Set(["a", "b", "c", "d"]),
};
const none = { boxes: {}, buttons: [], blocked: [], can_act: [], warnings: {}, about: [], moves: [], undoable: false, reach: {}, sheets: [], orders: [] };
const base = { side: "Red", number: 1, prompt: "", rule: "", ...none };
const legal = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]));
const cancel = { click: "cancel", caption: "Cancel", role: "cancel" as const };

/** Nothing is selected: units and the hexes that hold them are legal. */
const choosing: Question = { ...base, kind: "move.stack", units: legal("a", "b", "c", "d"), hexes: legal("0101", "0102") };
/** All of 0101 but c is selected; 0102 and an empty hex are destinations. */
const moving: Question = { ...base, kind: "move.to", units: legal("a", "b", "c"), hexes: legal("0102", "0105"), about: ["a", "b"], buttons: [cancel] };
const press = (hex: string | null, unit: string | null = null, how: Partial<Press> = {}): Press => ({ hex, unit, stack: true, only: false, ...how });
const fan = { stack: false };

describe("a press without a selection", () => {
  it("on a pile selects the stack by its hex", () => {
    expect(intend(choosing, press("0101", "c"), around)).toEqual({ do: "click", name: "0101" });
  });
  it("on a counter of a fan selects that unit", () => {
    expect(intend(choosing, press("0101", "b", fan), around)).toEqual({ do: "click", name: "b" });
  });
  it("on a single unit clicks the unit", () => {
    expect(intend(choosing, press("0102", "d"), around)).toEqual({ do: "click", name: "d" });
  });
  it("on an enemy asks about its hex", () => {
    expect(intend(choosing, press("0104", "x"), around)).toEqual({ do: "explain", name: "0104" });
  });
  it("on an own unit that cannot go asks about the unit", () => {
    expect(intend(choosing, press("0103", "e"), around)).toEqual({ do: "explain", name: "e" });
  });
});

describe("a press where a hex is chosen for units that are known", () => {
  const retreating: Question = { ...base, kind: "combat.retreat", units: {}, hexes: legal("0105"), about: ["a"] };
  it("on an own unit asks about its hex", () => {
    expect(intend(retreating, press("0103", "e"), around)).toEqual({ do: "explain", name: "0103" });
  });
  it("asks about the unit where a target is chosen", () => {
    expect(intend({ ...retreating, kind: "combat.target", about: [] }, press("0103", "e"), around)).toEqual({ do: "explain", name: "e" });
  });
});

describe("a press with a selection", () => {
  it("on its pile drops it", () => {
    expect(intend(moving, press("0101", "a"), around)).toEqual({ do: "click", name: "cancel" });
  });
  it("on a counter of its fan adds or removes the unit", () => {
    expect(intend(moving, press("0101", "c", fan), around)).toEqual({ do: "click", name: "c" });
    expect(intend(moving, press("0101", "a", fan), around)).toEqual({ do: "click", name: "a" });
  });
  it("on a destination moves there, also where own units are", () => {
    expect(intend(moving, press("0105"), around)).toEqual({ do: "click", name: "0105" });
    expect(intend(moving, press("0102", "d"), around)).toEqual({ do: "click", name: "0102" });
    expect(isAmbiguous(moving, "0102", around)).toBe(true);
    expect(isAmbiguous(moving, "0105", around)).toBe(false);
  });
  it("with Shift on a destination with own units selects them", () => {
    expect(intend(moving, press("0102", "d", { only: true }), around)).toEqual({ do: "switch", cancel: "cancel" });
  });
  it("on another stack that is no destination switches", () => {
    const closed = { ...moving, hexes: legal("0105") };
    expect(intend(closed, press("0102", "d"), around)).toEqual({ do: "switch", cancel: "cancel" });
  });
  it("on a unit that could not be selected keeps the selection and says why", () => {
    expect(intend(moving, press("0103", "e"), around)).toEqual({ do: "explain", name: "e" });
  });
  it("on a hex within reach that is no destination says why the selection cannot stop there", () => {
    const full = { ...moving, reach: { "0103": { cost: 2, left: 4, before: "0102", how: "" } } };
    expect(intend(full, press("0103", "e"), around)).toEqual({ do: "explain", name: "0103" });
  });
  it("on an enemy asks about its hex", () => {
    expect(intend(moving, press("0104", "x"), around)).toEqual({ do: "explain", name: "0104" });
  });
});

describe("gathered units", () => {
  const combat: Question = { ...moving, kind: "combat.attackers", hexes: legal("0104") };
  const mission: Question = { ...moving, kind: "air.mission.units", hexes: legal("0101", "0104"), about: [] };
  it("are not a selection: a press on one of a fan removes it", () => {
    expect(cancelOf(combat)).toBeNull();
    expect(intend(combat, press("0101", "a", fan), around)).toEqual({ do: "click", name: "a" });
  });
  it("of a pile leave the combat together, and join it together if none is in it", () => {
    expect(intend(combat, press("0101", "a"), around)).toEqual({ do: "all", names: ["a", "b"] });
    expect(intend({ ...combat, about: ["d"] }, press("0101", "a"), around)).toEqual({ do: "all", names: ["a", "b", "c"] });
    expect(intend(combat, press("0104", "x"), around)).toEqual({ do: "click", name: "0104" });
  });
  it("come one after another from the same pile, the one on top first", () => {
    expect(intend(mission, press("0101", "b"), around)).toEqual({ do: "click", name: "b" });
    expect(intend({ ...mission, about: ["b"] }, press("0101", "b"), around)).toEqual({ do: "click", name: "a" });
    expect(intend({ ...mission, about: ["a", "b"] }, press("0101", "b"), around)).toEqual({ do: "click", name: "c" });
  });
  it("leave the hex to the plate of the fan", () => {
    expect(intend(mission, press("0101"), around)).toEqual({ do: "click", name: "0101" });
  });
});

describe("a pile whose units cannot go together", () => {
  const guns: Question = { ...moving, units: legal("a"), about: ["a"] };
  it("gives the unit under the pointer, not the first one", () => {
    expect(meansOther(choosing, guns, "b")).toBe(true);
    expect(meansOther(choosing, guns, "a")).toBe(false);
  });
  it("keeps the selection where the unit can join it, could not be selected, or nothing is pointed at", () => {
    expect(meansOther(choosing, { ...guns, units: legal("a", "b") }, "b")).toBe(false);
    expect(meansOther(choosing, guns, "e")).toBe(false);
    expect(meansOther(choosing, guns, null)).toBe(false);
    expect(meansOther(choosing, { ...guns, about: ["a", "c"] }, "b")).toBe(false);
  });
});

describe("what a click does to a stack, in words", () => {
  const combat: Question = { ...moving, kind: "combat.attackers", hexes: legal("0104") };
  const rest = " · a counter of its fan: one unit";
  it("is about the stack at its pile and its plate", () => {
    expect(whatOf(combat, press("0101", "a"), around)).toBe(`Click: remove the stack${rest}`);
    expect(whatOf(combat, press("0101"), around)).toBe(`Click: remove the stack${rest}`);
    expect(whatOf({ ...combat, about: ["d"] }, press("0101", "a"), around)).toBe(`Click: add the stack${rest}`);
    expect(whatOf(choosing, press("0101", "c"), around)).toBe(`Click: select the stack${rest}`);
    expect(whatOf(moving, press("0101", "c"), around)).toBe(`Click: cancel the selection${rest}`);
  });
  it("neither adds nor removes a unit that is chosen alone, such as a leader or a loss", () => {
    const leading = { ...combat, kind: "combat.leader", buttons: [], about: ["a", "b", "c"] };
    expect(whatOf(leading, press("0101", "a", fan), around)).toBe("Click: choose this unit");
    expect(whatOf({ ...leading, kind: "combat.losses", about: [] }, press("0101", "a", fan), around)).toBe("Click: choose this unit");
  });
  it("is about one unit in the fan", () => {
    expect(whatOf(combat, press("0101", "a", fan), around)).toBe("Click: remove this unit");
    expect(whatOf(combat, press("0101", "c", fan), around)).toBe("Click: add this unit");
    expect(whatOf(choosing, press("0101", "b", fan), around)).toBe("Click: select this unit");
    expect(whatOf(moving, press("0101", "c", fan), around)).toBe("Click: add this unit");
  });
  it("is empty where a click chooses no unit of a stack", () => {
    expect(whatOf(choosing, press("0102", "d"), around)).toBe("");
    expect(whatOf(choosing, press("0104", "x"), around)).toBe("");
  });
});

describe("what only selects", () => {
  it("needs no preview on a touch screen", () => {
    expect(onlySelects(choosing, press("0101", "c"), around)).toBe(true);
    expect(onlySelects(choosing, press("0102", "d"), around)).toBe(true);
    expect(onlySelects(moving, press("0101", "a"), around)).toBe(true);
    expect(onlySelects(moving, press("0105"), around)).toBe(false);
  });
});

test("a way through units of another side is told apart from one through own units", () => {
  expect(meetsOthers(["0101", "0105", "0102"], around)).toBe(false);
  expect(meetsOthers(["0105", "0104"], around)).toBe(true);
});
