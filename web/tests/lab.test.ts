import { expect, test } from "vitest";
import type { GameInfo, LabInfo, LabPoint } from "../src/lib/types";
import { knowing, usual } from "../src/lib/seating";
import { addressOf, studyOf } from "../src/pages/lab/address";
import { band, families, frame, line, mix, signed, ticks } from "../src/pages/lab/plots";

const game: GameInfo = {
  id: "skirmish", title: "Skirmish", playable: true, sides: ["Red", "Blue"], sections: 7, players: ["random", "passive"],
  scenarios: [
    { name: "village", title: "Village", text: "", options: { weather: ["dry", "wet"] }, notes: {} },
    { name: "melee", title: "Mêlée", text: "", options: {}, notes: {} },
  ],
};
const lab: LabInfo = { processes: 1, games: 2000, changes: 8, players: { skirmish: ["random", "passive"] }, waiting: 0 };

test("a study comes back from its address, with everything that was chosen", () => {
  const study = {
    game: "skirmish", scenario: "village", players: { Red: "random:7", Blue: "passive" }, options: { weather: "wet" },
    changes: [{ path: 'counter."DE 5/1/ABN".cf', value: "4" }, { path: "option.weather", value: "a=b & c" }], games: 40, seed: 9,
  };
  const { pathname, search } = new URL(addressOf(study), "http://table.example");
  expect(pathname).toBe("/lab");
  expect(studyOf(search, [game], lab)).toEqual(study);
});

test("what an address leaves out or names wrongly is as usual", () => {
  const study = studyOf("?game=chess&scenario=melee&player.Red=clever&games=1000000&seed=x&change=nothing&change==4&set.weather=hail", [game], lab)!;
  expect(study).toEqual({ game: "skirmish", scenario: "melee", players: { Red: "random", Blue: "random" }, options: {}, changes: [], games: 2000, seed: 0 });
  expect(studyOf("", [game], lab)!.options).toEqual({ weather: "dry" });
  expect(studyOf("", [], lab)).toBeNull();
});

test("an axis has round numbers that span it", () => {
  expect(ticks(0, 37)).toEqual([0, 10, 20, 30, 40]);
  expect(ticks(-1.2, 0.4)).toEqual([-1.5, -1, -0.5, 0, 0.5]);
});

test("a colour lies between its neighbours", () => {
  expect(mix(["#000000", "#ffffff"], 0.5)).toBe("#808080");
  expect(mix(["#000000", "#808080", "#ffffff"], 1)).toBe("#ffffff");
});

const point = (turn: number, median: number): LabPoint => ({ turn, games: 4, p10: median - 2, p25: median - 1, median, p75: median + 1, p90: median + 2 });

test("curves fill their frame", () => {
  const points = [point(0, 2), point(1, 6)];
  const drawn = frame([{ name: "front", colour: "#000000", points }], false, { left: 10, top: 0, width: 100, height: 80 })!;
  expect([drawn.x(0), drawn.x(1), drawn.y(8), drawn.y(0)]).toEqual([10, 110, 0, 80]);
  expect(line(points, drawn, "median")).toBe("M10 60L110 20");
  expect(band(points, drawn, "p10", "p90")).toBe("M10 40L110 0L110 40L10 80Z");
  expect(band([], drawn, "p10", "p90")).toBe("");
  expect(frame([], false, { left: 0, top: 0, width: 1, height: 1 })).toBeNull();
});

test("curves of one thing for each side are one plot", () => {
  expect([...families(["Red units", "Blue units", "front"], ["Red", "Blue"])]).toEqual([["Units", ["Red units", "Blue units"]], ["Front", ["front"]]]);
});

test("a difference carries its sign", () => {
  expect([signed(0.1234), signed(-2), signed(0)]).toEqual(["+0.123", "−2", "±0"]);
});

test("a game is played by those who know it", () => {
  const shelf = { games: [game], players: [{ name: "normal", text: "" }, { name: "random", text: "" }], levels: ["normal"], usual: "normal", version: "" };
  expect(knowing(shelf, "skirmish").map(({ name }) => name)).toEqual(["random"]);
  expect(usual(shelf, "skirmish")).toBe("random");
});
