import { beforeEach, expect, test, vi } from "vitest";
import { changeSince, commitmentTo, contribute, contributionTo, keepContribution, newContribution, nextStep } from "../src/lib/contribution";
import type { Lobby, LobbyContribution } from "../src/lib/types";
import { storage } from "./storage";

beforeEach(() => vi.stubGlobal("localStorage", storage()));

const OTHER = commitmentTo("22".repeat(32));

function lobby(own: Partial<LobbyContribution>, other: Partial<LobbyContribution>, more: Partial<Lobby> = {}): Lobby {
  return {
    id: "m", game: "g", title: "G", scenario: "s", scenario_title: "S", options: {}, begun: false, claim_days: 14, seats: [], mine: ["Red"], commitment: "ab", awaited: [],
    contributions: [{ side: "Red", commitment: null, revealed: false, ...own }, { side: "Blue", commitment: null, revealed: false, ...other }], ...more,
  };
}

/** A server that keeps the commitments and values of both players. */
function server(start: Lobby) {
  const sent: object[] = [];
  let now = start;
  const change = (own: Partial<LobbyContribution>) => ({ ...now, contributions: now.contributions.map((one) => (one.side === "Red" ? { ...one, ...own } : one)) });
  const send = async (body: { commitment: string } | { value: string }): Promise<Lobby> => {
    sent.push(body);
    return (now = change("value" in body ? { revealed: true } : { commitment: body.commitment }));
  };
  return { sent, send };
}

test("a value has 32 random bytes", () => {
  expect(newContribution().value).toMatch(/^[0-9a-f]{64}$/);
  expect(newContribution().value).not.toBe(newContribution().value);
});

test("a commitment is the SHA-256 of the bytes", () => {
  expect(commitmentTo("00".repeat(32))).toBe("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925");
});

test("a player without a value commits, and reveals when all have committed", async () => {
  const { sent, send } = server(lobby({}, { commitment: OTHER }));
  await contribute("m", lobby({}, { commitment: OTHER }), send);
  const { value, ...kept } = contributionTo("m")!;
  expect(sent).toEqual([{ commitment: commitmentTo(value) }, { value }]);
  expect(kept).toEqual({ revealed: true, commitment: "ab", others: { Blue: OTHER } });
});

test("a value is not shown before the other has committed", async () => {
  const mine = newContribution();
  keepContribution("m", mine);
  const { sent, send } = server(lobby({}, {}));
  await contribute("m", lobby({ commitment: commitmentTo(mine.value) }, {}), send);
  expect(sent).toEqual([]);
});

test("the commitment of another device is replaced only when everybody else has committed", () => {
  expect(nextStep(lobby({ commitment: "cd" }, {}), null).do).toBe("wait");
  expect(nextStep(lobby({ commitment: "cd" }, { commitment: OTHER }), null).do).toBe("commit");
});

test("a value that did not arrive is sent again", () => {
  const mine = { ...newContribution(), revealed: true, commitment: "ab", others: { Blue: OTHER } };
  expect(nextStep(lobby({ commitment: commitmentTo(mine.value) }, { commitment: OTHER }), mine).do).toBe("reveal");
});

test("after a reveal nothing is committed again", async () => {
  const mine = { ...newContribution(), revealed: true, commitment: "ab", others: { Blue: OTHER } };
  keepContribution("m", mine);
  const { sent, send } = server(lobby({}, { commitment: OTHER }));
  const { alarm } = await contribute("m", lobby({}, { commitment: OTHER }), send);
  expect(alarm).toBe("Your own number is not among those of the dice.");
  expect(sent).toEqual([]);
  expect(contributionTo("m")).toEqual(mine);
});

test("a key or a number that was replaced after the reveal is found", () => {
  const mine = { ...newContribution(), revealed: true, commitment: "ab", others: { Blue: OTHER } };
  const own = { commitment: commitmentTo(mine.value) };
  expect(changeSince(mine, lobby(own, { commitment: OTHER }))).toBe("");
  expect(changeSince(mine, lobby(own, { commitment: OTHER }, { commitment: "ac" }))).toContain("key of its dice");
  expect(changeSince(mine, lobby(own, { commitment: "cd" }))).toContain("number of Blue");
});

test("a match that begins with other numbers than were promised stops the player", () => {
  const mine = { ...newContribution(), revealed: true, commitment: "ab", others: { Blue: OTHER } };
  const begun = lobby({ commitment: commitmentTo(mine.value), revealed: true }, { commitment: "cd", revealed: true }, { begun: true });
  expect(nextStep(begun, mine).do).toBe("stop");
});

test("a device that joined after the other player's reveal does not commit", () => {
  expect(nextStep(lobby({ commitment: "cd" }, { commitment: OTHER, revealed: true }), null).do).toBe("stop");
});

test("a spectator contributes nothing", () => {
  expect(nextStep(lobby({}, { commitment: OTHER }, { mine: [] }), null).do).toBe("wait");
});
