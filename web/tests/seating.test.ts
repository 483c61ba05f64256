import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keep } from "../src/lib/remembered";
import { against, defaults, headOf, seatsAsBefore } from "../src/lib/seating";
import { playRematch, rematchState, seatsOf, startAgain } from "../src/panels/rematch";
import { commitmentTo, contributionTo } from "../src/lib/contribution";
import { keysOf, remember } from "../src/lib/keyring";
import { tokensOf } from "../src/lib/links";
import { setUp } from "../src/lib/setup";
import type { GameInfo, Shelf, Terms } from "../src/lib/types";
import { view } from "./sample";
import { storage } from "./storage";

beforeEach(() => {
  vi.stubGlobal("localStorage", storage());
  vi.stubGlobal("sessionStorage", storage());
});
afterEach(() => vi.unstubAllGlobals());

/** A server that notes what it is asked. */
function answering(answers: Record<string, unknown>): [string, Record<string, unknown>][] {
  const asked: [string, Record<string, unknown>][] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
    asked.push([path, JSON.parse(String(body ?? null)) as Record<string, unknown>]);
    return Response.json(answers[path]);
  });
  return asked;
}

const CREATED = { id: "new", keys: { Red: "k" }, invitations: {}, recovery: "", begun: true };
const person = (side: string, who = "person") => ({ side, who, name: "", here: true, thinking: false, part: null, seen: null, claim_from: null });
const RESULT = { winner: "Red", level: "", reason: "", rule: "" };
const played = (seats: ReturnType<typeof person>[], more = {}) => ({ id: "m", view: view(), seats, sides: ["Red"], seat: { id: "m", key: "k" }, rematch: null, ...more });

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

test("the same match from the start shows the computer's reasons as this one does", async () => {
  const asked = answering({ "/api/matches/m/info": { open_reasons: true }, "/api/matches": CREATED });
  expect(await startAgain(played([person("Red"), person("Blue", "hard")]))).toBe("/game/new");
  expect(asked).toEqual([
    ["/api/matches/m/info", null],
    ["/api/matches", { game: "sample", scenario: "s", options: {}, seats: { Red: "me", Blue: "hard" }, open_reasons: true }],
  ]);
});

test("a match with a friend is made with a commitment, and what it answers is kept", async () => {
  let sent: Terms = {};
  const path = await setUp({ Red: "me", Blue: "friend" }, 7, async (terms) => {
    sent = terms;
    return { ...CREATED, invitations: { Blue: "t" }, recovery: "r", begun: false };
  });
  expect(path).toBe("/game/new");
  expect(sent).toEqual({ claim_days: 7, contribution: commitmentTo(contributionTo("new")!.value) });
  expect([keysOf("new"), tokensOf("new")]).toEqual([{ Red: "k" }, { invitations: { Blue: "t" }, recovery: "r", told: false }]);
});

test("a match without a friend needs no number for the dice", async () => {
  let sent: Terms | null = null;
  await setUp({ Red: "me", Blue: "hard" }, 14, async (terms) => {
    sent = terms;
    return CREATED;
  });
  expect([sent, contributionTo("new")]).toEqual([{}, null]);
});

test("a rematch is offered once, accepted by the other player, and opened afterwards", () => {
  const over = { view: view({}, { result: RESULT }), sides: ["Red"], rematch: null as string | null };
  expect(rematchState({ ...over, view: view() })).toBe("none");
  expect(rematchState(over)).toBe("offer");
  expect(rematchState({ ...over, rematch: "next" })).toBe("accept");
  remember("next", { Blue: "k" });
  expect(rematchState({ ...over, rematch: "next" })).toBe("open");
  expect([rematchState({ ...over, sides: [] }), rematchState({ ...over, sides: [], rematch: "next" })]).toEqual(["none", "open"]);
});

test("a rematch is accepted with the key of the match before", async () => {
  const asked = answering({ "/api/matches/next/seats": { sides: ["Blue"], key: "k2", recovery: "r" } });
  const table = played([person("Red"), person("Blue")], { view: view({}, { result: RESULT }), rematch: "next" });
  expect(await playRematch(table)).toBe("/game/next");
  expect(asked[0]![1]).toEqual({ token: "", rematch_of: "m", contribution: commitmentTo(contributionTo("next")!.value) });
  expect(keysOf("next")).toEqual({ Blue: "k2" });
});

test("a new match takes side and level from the start page", () => {
  const game = { id: "toy", sides: ["Red", "Blue"], players: ["easy", "normal"] } as unknown as GameInfo;
  const shelf = { games: [game], players: [{ name: "easy" }, { name: "normal" }], usual: "normal" } as unknown as Shelf;
  expect(seatsAsBefore(shelf, game)).toEqual({ Red: "me", Blue: "normal" });
  keep("home.sides", { toy: "Blue", other: "Red" });
  keep("home.level", "easy");
  expect(seatsAsBefore(shelf, game)).toEqual({ Red: "easy", Blue: "me" });
  keep("home.level", "unknown");
  expect(seatsAsBefore(shelf, game)).toEqual({ Red: "normal", Blue: "me" });
});
