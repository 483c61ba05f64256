import { afterEach, expect, test, vi } from "vitest";
import { prepareGame, takeGame } from "../src/lib/gamedata";

const asked: string[] = [];
function answering(ok = true): void {
  asked.length = 0;
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(ok ? Response.json({ path }) : new Response("{}", { status: 500 }));
  });
}
afterEach(() => vi.unstubAllGlobals());

test("a game that was prepared is fetched once", async () => {
  answering();
  prepareGame("paa");
  prepareGame("paa");
  const [box, board] = await takeGame("paa");
  expect(asked).toEqual(["/api/games/paa", "/api/boards/paa"]);
  expect([box, board]).toEqual([{ path: "/api/games/paa" }, { path: "/api/boards/paa" }]);
});

test("the next match fetches it again, since its rules may be newer", async () => {
  answering();
  await takeGame("paa");
  await takeGame("paa");
  expect(asked.length).toBe(4);
});

test("taking a game that could not be fetched fails", async () => {
  answering(false);
  prepareGame("na41");
  await expect(takeGame("na41")).rejects.toThrow();
});
