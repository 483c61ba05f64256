import { expect, test } from "vitest";
import { absentee, canOpen, sidesToLookFrom } from "../src/lib/ending";
import { awaitedSides, seatState } from "../src/lib/lobby.svelte";
import type { Lobby, SeatInfo } from "../src/lib/types";

const seat = (side: string, who: string, more: Partial<SeatInfo> = {}): SeatInfo => ({ side, who, name: "", here: false, thinking: false, part: null, seen: null, claim_from: null, ...more });
const FROM = "2026-05-01T12:00:00Z";
const NOON = Date.parse(FROM);
const running = { opened: false, result: null };

test("an absent opponent's match can be claimed from the time that the server says", () => {
  const seats = [seat("Red", "person"), seat("Blue", "person", { claim_from: FROM })];
  expect(absentee(seats, ["Red"], NOON - 1)).toEqual({ side: "Blue", from: FROM, ready: false });
  expect(absentee(seats, ["Red"], NOON)?.ready).toBe(true);
});

test("neither the absent player nor a spectator can claim", () => {
  const seats = [seat("Red", "person"), seat("Blue", "person", { claim_from: FROM })];
  expect([absentee(seats, ["Blue"], NOON), absentee(seats, [], NOON)]).toEqual([null, null]);
});

test("only the one person in a match against the computer can open it", () => {
  const solo = [seat("Red", "person"), seat("Blue", "hard")];
  expect(canOpen(running, true, solo, ["Red"])).toBe(true);
  expect(canOpen(running, false, solo, ["Red"])).toBe(false);
  expect(canOpen({ ...running, opened: true }, true, solo, ["Red"])).toBe(false);
  expect(canOpen(running, true, [...solo, seat("Green", "person")], ["Red"])).toBe(false);
  expect(canOpen(running, true, [seat("Red", "person"), seat("Blue", "person")], ["Red", "Blue"])).toBe(false);
  expect(canOpen(running, true, solo, [])).toBe(false);
});

test("the other side is shown only when the match is opened or over", () => {
  expect(sidesToLookFrom(running, ["Red", "Blue"], ["Red"])).toEqual([]);
  expect(sidesToLookFrom({ ...running, opened: true }, ["Red", "Blue"], ["Red"])).toEqual(["Blue"]);
});

const lobby = (awaited: Lobby["awaited"]): Pick<Lobby, "awaited" | "mine" | "seats"> => ({
  awaited, mine: ["Red"], seats: [seat("Red", "person"), seat("Blue", "person"), seat("Green", "hard")],
});

test("the lobby waits for whoever has to join, then for whoever has to open the match", () => {
  expect(awaitedSides(lobby([{ side: "Red", to: "reveal" }, { side: "Blue", to: "join" }]))).toEqual(["Blue"]);
  expect(awaitedSides(lobby([{ side: "Red", to: "reveal" }, { side: "Blue", to: "reveal" }]))).toEqual(["Blue"]);
  expect(awaitedSides(lobby([{ side: "Red", to: "reveal" }]))).toEqual([]);
});

test("each seat of the lobby says how far it is", () => {
  const waiting = lobby([{ side: "Red", to: "commit" }, { side: "Blue", to: "join" }]);
  expect(["Red", "Blue", "Green"].map((side) => seatState(waiting, side))).toEqual(["preparing the dice", "invited; has not accepted yet", "computer"]);
  expect(seatState(lobby([{ side: "Red", to: "reveal" }, { side: "Blue", to: "join" }]), "Red")).toBe("ready");
  expect(seatState(lobby([]), "Blue")).toBe("ready");
});
