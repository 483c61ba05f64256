import { afterEach, expect, test, vi } from "vitest";
import { against, defaults, headOf } from "../src/lib/seating";
import { rematch, seatsOf } from "../src/panels/rematch";
import { view } from "./sample";

afterEach(() => vi.unstubAllGlobals());

test("I sit on one side and somebody else on the others", () => {
  expect(against(["Red", "Blue"], "Blue", "scripted")).toEqual({ Red: "scripted", Blue: "me" });
});

test("the first value of an option is its default", () => {
  expect(defaults({ weather: ["off", "on"] })).toEqual({ weather: "off" });
});

test("a record says what it is in its first line", () => {
  const record = '{"khamsin": 1, "game": "g", "scenario": "s"}\n{"click": "a"}\n{"click": "b"}\n{"saved": {}}\n';
  expect(headOf(record)).toEqual({ game: "g", scenario: "s", clicks: 2, over: false });
});

test("a record with a result is over", () => {
  expect(headOf('{"khamsin": 1, "game": "g"}\n{"result": {}}\n')?.over).toBe(true);
});

test("another file is no record", () => {
  expect([headOf("hello"), headOf("{}"), headOf("")]).toEqual([null, null, null]);
});

test("a rematch seats everybody as before", () => {
  const seats = [{ side: "Red", who: "person" }, { side: "Blue", who: "scripted" }, { side: "Green", who: "person" }];
  expect(seatsOf(seats, ["Red"])).toEqual({ Red: "me", Blue: "scripted", Green: "friend" });
});

test("a rematch shows the computer's reasons as the game before did", async () => {
  const asked: [string, unknown][] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
    asked.push([path, JSON.parse(String(body ?? null))]);
    return Response.json(path.endsWith("/info") ? { open_reasons: true } : { id: "new", keys: { Red: "k" } });
  });
  const seats = [{ side: "Red", who: "person", name: "", here: true, thinking: false }, { side: "Blue", who: "hard", name: "", here: true, thinking: false }];
  const way = await rematch({ view: view(), seats, sides: ["Red"], seat: { id: "m", key: "k" }, say: () => {} });
  expect(way).toBe("/game/new");
  expect(asked).toEqual([
    ["/api/matches/m/info", null],
    ["/api/matches", { game: "sample", scenario: "s", options: {}, seats: { Red: "me", Blue: "hard" }, open_reasons: true }],
  ]);
});
