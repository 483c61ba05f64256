/** Matches that were begun under other rules than the server now has. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { request, type APIRequestContext, type Page } from "@playwright/test";
import { BOTH, click, expect as soon, FIRST, mapDrawn, matchOfTwo, newGame, playUntil, SECOND, spot, test, view, type Game } from "./seats";

test.setTimeout(240_000);
/** A server takes seconds of processor time to start, and what a page shows first waits for the game to be loaded. */
const expect = soon.configure({ timeout: 60_000 });
const PORT = Number(process.env["KHAMSIN_E2E_PORT"] ?? "8177") + 1;
const ORIGIN = `http://127.0.0.1:${PORT}`;
const UNIT = "AU 24/IBDE";
const folder = resolve("test-results/update");

let server: ChildProcess | null = null;
let web: APIRequestContext;

/** Start a server on the same database, under the rules of an update. */
async function start(update: string): Promise<void> {
  const program = process.env["KHAMSIN"] ?? resolve("../.venv/bin/khamsin");
  const path = [resolve(".."), process.env["PYTHONPATH"]].filter(Boolean).join(":");
  server = spawn(program, ["play", "--no-browser", "--port", String(PORT), "--db", `sqlite:///${folder}/update.db`], {
    env: { ...process.env, PYTHONPATH: path, KHAMSIN_GAMES: "tests.toy.updated:RULES", RULES_UPDATE: update }, stdio: ["ignore", "ignore", "inherit"],
  });
  const started = server;
  // The list of games would load them all; the test needs one.
  const isUp = () => web.get("/api/me", { timeout: 10_000 }).then((answer) => answer.ok(), () => false);
  await expect.poll(async () => started.exitCode ?? (await isUp()), { timeout: 120_000 }).toBe(true);
}

async function stop(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  await gone;
}

test.beforeEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  web = await request.newContext({ baseURL: ORIGIN });
  await start("");
});
test.afterEach(async () => {
  await stop();
  await web.dispose();
});

/** A match in which the unit has moved out of its hex. The dice may put it out of command: then a new one is begun. */
async function moved(begin: () => Promise<Game>): Promise<Game> {
  for (let tries = 0; tries < 20; tries++) {
    const game = await begin();
    await playUntil(web, game, ({ phase }) => phase === "allied movement");
    if (!(UNIT in (await view(web, game, SECOND)).question!.units!)) continue;
    for (const name of [UNIT, "1724"]) await click(web, game, SECOND, name);
    return game;
  }
  throw new Error(`${UNIT} was never in command`);
}

/** Bring the hex of the unit into sight: counters far from the window are not in the page. */
async function lookAt(page: Page): Promise<void> {
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  await spot(page, "1925");
}

test("a match goes on from the start of its phase when a move of it is no longer legal, and the open page reconnects", async ({ page }) => {
  const game = await moved(() => newGame(web, BOTH));
  await page.goto(`${ORIGIN}/game/${game.id}#key=${game.keys[SECOND]}`);
  const counter = page.locator(`.counter[data-unit="${UNIT}"]`);
  await lookAt(page);
  await expect(counter).toHaveAttribute("data-at", "1724");
  await stop();
  await expect(page.locator(".offline")).toBeVisible();
  await start("slow");
  await expect(counter).toHaveAttribute("data-at", "1925");
  await page.getByRole("tab", { name: "Log" }).click();
  await expect(page.locator(".log")).toContainText(/[Rr]ules/);
  await expect(page.locator("footer")).toContainText("Move a unit");
  await mapDrawn(page);
  await page.screenshot({ path: "screens/updated-1280x800.png" });
});

test("a match that would lose more than a phase is frozen until both players agree", async ({ person }) => {
  const game = await moved(() => matchOfTwo(web));
  await playUntil(web, game, ({ phase }) => phase !== "allied movement");
  await stop();
  await start("narrow");
  const [one, two] = [await person(), await person()];
  for (const [page, side] of [[one, FIRST], [two, SECOND]] as const) {
    await page.goto(`${ORIGIN}/game/${game.id}#key=${game.keys[side]}`);
    await expect(page.getByRole("region", { name: "Frozen match" })).toContainText(/agree to lose \d+ clicks/);
    await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  }
  await mapDrawn(one);
  await one.screenshot({ path: "screens/frozen-1280x800.png" });
  await one.getByRole("button", { name: /^Continue/ }).click();
  await expect(one.getByRole("region", { name: "Frozen match" })).toContainText(`Waiting for ${SECOND}`);
  await two.getByRole("button", { name: /^Continue/ }).click();
  for (const page of [two, one]) {
    await expect(page.getByRole("region", { name: "Frozen match" })).toHaveCount(0);
    await lookAt(page);
    await expect(page.locator(`.counter[data-unit="${UNIT}"]`)).toHaveAttribute("data-at", "1925");
  }
  await expect(two.locator("footer")).toContainText(SECOND);
});
