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
    changes: [{ path: 'counter."DE 5/1/ABN".cf', value: "4" }, { path: "data.combat.name", value: "a=b & c" }, { path: "option.weather", value: "dry" }], games: 40, seed: 9,
  };
  const { pathname, search } = new URL(addressOf(study), "http://table.example");
  expect(pathname).toBe("/lab");
  expect(studyOf(search, [game], lab)).toEqual({ study, unusable: [] });
});

test("missing parts of an address have their defaults, without a note", () => {
  expect(studyOf("", [game], lab)).toEqual({
    study: { game: "skirmish", scenario: "village", players: { Red: "random", Blue: "random" }, options: { weather: "dry" }, changes: [], games: 20, seed: 0 },
    unusable: [],
  });
  expect(studyOf("", [], lab)).toBeNull();
});

const told = (search: string): string[] => studyOf(search, [game], lab)!.unusable.map(({ words }) => words);

test.each([
  ["game=chess", "The game “chess” is not installed; using Skirmish."],
  ["scenario=elsewhere", "Skirmish has no scenario “elsewhere”; using Village."],
  ["player.Red=clever", "The player “clever” of Red cannot play Skirmish; using random."],
  ["player.Blue=passive:x", "The player “passive:x” of Blue has no valid seed after the colon; using random."],
  ["set.weather=hail", "The option weather cannot be “hail”; using dry."],
  ["games=1000000", "The number of games must be a whole number from 1 to 2000, not “1000000”; using 2000."],
  ["games=", "The number of games must be a whole number from 1 to 2000, not “”; using 20."],
  ["seed=x", "The seed must be a whole number from 0 to 9007199254740991, not “x”; using 0."],
  ["change=nothing", "The change “nothing” is ignored: a change is written as path=value."],
  ["change==4", "The change “=4” is ignored: a change is written as path=value."],
  ["change=ab=4", "The change “ab=4” is ignored: its path or value has the wrong length."],
  ["change=option.weather=hail", "The change “option.weather=hail” is ignored: the option can be dry or wet."],
  ["change=option.fog=on", "The change “option.fog=on” is ignored: the scenario has no option fog."],
  ["change=data.x.y=1&change=data.x.y=2", "The change “data.x.y=2” is ignored: an earlier change has the same path."],
  ["player.Green=random", "“player.Green=random” does not apply to this scenario and is ignored."],
  ["scenario=melee&set.weather=wet", "“set.weather=wet” does not apply to this scenario and is ignored."],
  ["sead=7", "“sead=7” does not apply to this scenario and is ignored."],
])("a link that says %s reports what could not be used", (search, words) => {
  expect(told(search)).toEqual([words]);
});

test("a link has only so many changes", () => {
  const many = Array.from({ length: lab.changes + 1 }, (_, n) => `change=data.x.${n}=1`).join("&");
  expect(told(many)).toEqual(["The change “data.x.8=1” is ignored: at most 8 changes are possible."]);
});

test("parts that could not be used have their defaults", () => {
  const { study, unusable } = studyOf("?game=chess&scenario=melee&player.Red=clever&games=1000000&seed=x&change=nothing&set.weather=hail", [game], lab)!;
  expect(study).toEqual({ game: "skirmish", scenario: "melee", players: { Red: "random", Blue: "random" }, options: {}, changes: [], games: 2000, seed: 0 });
  expect(unusable.map(({ field }) => field)).toEqual(["game", "players", "changes", "games", "seed", null]);
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
