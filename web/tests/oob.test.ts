import { expect, test } from "vitest";
import type { CounterInfo, UnitView } from "../src/lib/types";
import { inBoxes, orderOfBattle, whereabouts } from "../src/panels/oob";

const counter = (name: string, side: string, nation: string, parent = ""): CounterInfo => ({
  name, label: name, full: `The ${name}`, side, nation, symbol: "infantry", sidc: "", size: "brigade", parent, steps: 1, printed: {}, ground: "", ink: "", source: "",
});
const unit = (at: string): UnitView => ({ at, steps: 1, face: "", back: "", badges: [] });
const isBox = (at: string) => at === "Pool";

const counters = [
  counter("A1", "Red", "North", "1st"), counter("A2", "Red", "North", "1st"), counter("A3", "Red", "South"), counter("B1", "Blue", "West"),
];
const units = { A1: unit("0101"), A2: unit("Pool"), A3: unit(""), B1: unit("0202") };

test("a side with two nations has a branch for each, and formations under them", () => {
  const [red] = orderOfBattle(["Red", "Blue"], counters, units, isBox);
  expect(red!.branches.map(({ title }) => title)).toEqual(["North", "South"]);
  expect(red!.branches[0]!.branches[0]).toMatchObject({ title: "1st", total: 2, onMap: 1 });
});

test("a side of one nation needs no level for it", () => {
  const blue = orderOfBattle(["Red", "Blue"], counters, units, isBox)[1]!;
  expect(blue.branches).toEqual([]);
  expect(blue.leaves.map(({ counter }) => counter.name)).toEqual(["B1"]);
});

test("counts say how many stand on the map", () => {
  expect(orderOfBattle(["Red"], counters, units, isBox)[0]).toMatchObject({ total: 3, onMap: 1 });
});

test("a unit is on the map, in a box, gone or out of sight", () => {
  const kinds = [units.A1, units.A2, units.A3, undefined].map((one) => whereabouts(one, isBox).kind);
  expect(kinds).toEqual(["map", "box", "gone", "unknown"]);
});

test("a search keeps what holds every word and leaves empty sides out", () => {
  const tree = orderOfBattle(["Red", "Blue"], counters, units, isBox, { text: "north pool", onMap: false });
  expect(tree.map(({ title, total }) => [title, total])).toEqual([["Red", 1]]);
});

test("only those on the map can be asked for", () => {
  const tree = orderOfBattle(["Red", "Blue"], counters, units, isBox, { text: "", onMap: true });
  expect(tree.map(({ total }) => total)).toEqual([1, 1]);
});

test("every box is there, also an empty one, and the gone are apart", () => {
  const { boxes, gone } = inBoxes(["Pool", "Cadre"], units);
  expect([...boxes]).toEqual([["Pool", ["A2"]], ["Cadre", []]]);
  expect(gone).toEqual(["A3"]);
});

test("a piece that lies face down is not told from the others of its kind", () => {
  const seen = { "XX 1": { ...unit("0101"), back: "Red marker" } };
  const leaves = orderOfBattle(["Red"], [counter("XX 1", "Red", "North")], seen, () => false).flatMap(({ leaves }) => leaves);
  expect(leaves.map(({ where }) => where.kind)).toEqual(["unknown"]);
});
