import { expect, it } from "vitest";
import { bounded, ideas, interval, offered, timeLeft } from "../src/pages/lab/questions";
import type { GameInfo, ScenarioInfo } from "../src/lib/types";

it("the interval of a share is Wilson's, as in the reports", () => {
  // The same as khamsin.lab.intervals.wilson gives for 12 of 20 games.
  const [low, high] = interval(12, 20);
  expect([low.toFixed(3), high.toFixed(3)]).toEqual(["0.387", "0.781"]);
  expect(interval(0, 10)[0]).toBe(0);
  expect(interval(10, 10)[1]).toBe(1);
});

it("each player is offered once, under the name that is explained", () => {
  const described = [{ name: "easy", text: "e" }, { name: "normal", text: "n" }, { name: "hard", text: "h" }];
  expect(offered(["random", "scripted", "normal", "easy"], described)).toEqual(["easy", "normal"]);
  expect(offered(["random"], [])).toEqual(["random"]);
});

const scenario = { name: "s", title: "S", text: "", options: { fixed: ["on"], weather: ["dry", "wet"] }, notes: {} } as unknown as ScenarioInfo;
const game = { id: "g", title: "G", sides: ["Red", "Blue"], scenarios: [scenario] } as unknown as GameInfo;

it("the questions to begin with fit the game", () => {
  const found = ideas(game, scenario, ["easy", "normal"], "normal");
  expect(found.map(({ part }) => part.players)).toEqual([{ Red: "normal", Blue: "normal" }, { Red: "normal", Blue: "easy" }, { Red: "normal", Blue: "normal" }]);
  expect(found[2]!.part.changes).toEqual([{ path: "option.weather", value: "wet" }]);
  expect(ideas(game, { ...scenario, options: {} }, ["random"], "random")).toHaveLength(1);
});

it("the time left follows from the games that are finished", () => {
  expect(timeLeft(0, 20, 30)).toBe("");
  expect(timeLeft(20, 20, 30)).toBe("");
  expect(timeLeft(10, 20, 30)).toBe("about 30 seconds left");
  expect(timeLeft(2, 20, 30)).toBe("about 5 minutes left");
  expect(timeLeft(1, 2000, 30)).toBe("about 17 hours left");
});

it("a number out of bounds is changed with a word about it", () => {
  expect(bounded("20", 1, 2000)).toEqual({ value: 20, note: "" });
  expect(bounded("0", 1, 2000)).toEqual({ value: 1, note: "At least 1: 0 changed to 1" });
  expect(bounded("5000", 1, 2000)).toEqual({ value: 2000, note: "At most 2000: 5000 changed to 2000" });
  expect(bounded("2.6", 1, 2000)).toEqual({ value: 3, note: "A whole number: 2.6 changed to 3" });
  expect(bounded(" ", 1, 2000)).toEqual({ value: null, note: "Not a number: unchanged" });
});
