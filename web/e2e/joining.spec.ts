/** How people come to a match and to its seats: invitations, other devices, recovery links, rematches. */

import type { Page } from "@playwright/test";
import { barriers } from "./barriers";
import { BOTH, expect, FIRST, matchOfTwo, newGame, SECOND, sit, test, type Game } from "./seats";

const counters = (page: Page) => page.locator(".counter:not(.buried)").first();

/** Set a match up on the first screen. Returns the link for the other player. */
async function invite(page: Page): Promise<string> {
  await page.goto("/");
  await page.getByRole("group", { name: "Your side" }).getByText(FIRST).click();
  await page.getByRole("button", { name: "With a friend" }).click();
  await expect(page.getByRole("heading", { name: `Waiting for ${SECOND}` })).toBeVisible();
  return page.getByRole("textbox", { name: `Invitation for ${SECOND}` }).inputValue();
}

async function openLinks(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Game", exact: true }).click();
  await page.getByRole("menuitem", { name: "Links and devices…" }).click();
}

test("an invitation is accepted, the match opens for both, and the link works once", async ({ person }) => {
  const [host, guest, third] = [await person(), await person(), await person()];
  const link = await invite(host);
  expect(await barriers(host), "lobby").toEqual([]);
  await host.screenshot({ path: "screens/lobby-1280x800.png" });
  await host.evaluate(() => ((globalThis as { loaded?: string }).loaded = "once"));

  await guest.goto(link);
  await expect(guest.getByRole("heading", { name: "You are invited" })).toBeVisible();
  expect(new URL(guest.url()).hash).toBe("");
  await expect(guest.locator("#content")).toContainText(`as ${SECOND}`);
  expect(await barriers(guest), "invitation").toEqual([]);
  await guest.screenshot({ path: "screens/invited-1280x800.png" });
  await guest.getByRole("button", { name: "Accept" }).click();

  for (const page of [host, guest]) await expect(counters(page)).toBeVisible({ timeout: 30_000 });
  expect(await host.evaluate(() => (globalThis as { loaded?: string }).loaded), "without loading the page again").toBe("once");
  await expect(guest.locator(".seats")).toContainText(`${SECOND}you`);
  await expect(guest.getByRole("region", { name: "Keep your seat" })).toBeVisible();
  await guest.screenshot({ path: "screens/keep-seat-1280x800.png" });
  expect(await barriers(guest), "table").toEqual([]);
  for (const page of [host, guest]) {
    await page.locator("details, section", { hasText: "Dice" }).getByText("Dice", { exact: true }).first().click();
    await expect(page.getByText("Your own number is among them.")).toBeVisible();
  }

  await third.goto(link);
  await expect(third.getByRole("heading", { name: "This invitation was already used" })).toBeVisible();
  await third.screenshot({ path: "screens/used-1280x800.png" });
  await third.getByRole("button", { name: "Open the match as a spectator" }).click();
  await expect(counters(third)).toBeVisible();
  await expect(third.locator("footer .answers button")).toHaveCount(0);
});

test("a replaced invitation stops working, and the host is not taken for the guest", async ({ person }) => {
  const [host, guest] = [await person(), await person()];
  const old = await invite(host);
  await host.getByRole("button", { name: "Replace link", exact: true }).click();
  await expect(host.getByText("The old one no longer works.")).toBeVisible();
  const link = await host.getByRole("textbox", { name: `Invitation for ${SECOND}` }).inputValue();
  expect(link).not.toBe(old);

  await guest.goto(old);
  await guest.getByRole("button", { name: "Accept" }).click();
  await expect(guest.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await host.goto(link);
  await expect(host.getByText(`You already play ${FIRST} in this match.`)).toBeVisible();
});

test("a seat moves to another device, and the old one is signed out", async ({ person }) => {
  const [old, next, late] = [await person(), await person(), await person()];
  const game = await matchOfTwo(old.request);
  await sit(old, game, FIRST);
  await openLinks(old);
  await old.getByRole("button", { name: "Add a device" }).click();
  const link = await old.getByRole("textbox", { name: /^Open on your other device/ }).inputValue();
  expect(await barriers(old), "links").toEqual([]);
  await old.screenshot({ path: "screens/devices-1280x800.png" });

  await next.goto(link);
  await expect(counters(next)).toBeVisible();
  await expect(next.locator(".seats")).toContainText(`${FIRST}you`);
  await late.goto(link);
  await expect(late.getByRole("heading", { name: "This link was already used" })).toBeVisible();

  await openLinks(next);
  await next.getByRole("button", { name: "Sign out other devices" }).click();
  await next.getByRole("button", { name: "Sign them out" }).click();
  await expect(next.getByText("The other devices are signed out.")).toBeVisible();
  await old.keyboard.press("Escape");
  await expect(old.getByRole("button", { name: "Watch as a spectator" })).toBeVisible();
  await old.screenshot({ path: "screens/signed-out-1280x800.png" });
  await old.getByRole("button", { name: "Watch as a spectator" }).click();
  await expect(counters(old)).toBeVisible();
  await expect(old.locator(".seats")).not.toContainText("you");
});

test("a device that was signed out says so when it comes back", async ({ person }) => {
  const page = await person();
  const game = await newGame(page.request, BOTH);
  await page.goto(`/game/${game.id}#key=${"x".repeat(24)}`);
  await expect(page.getByRole("heading", { name: "This device was signed out" })).toBeVisible();
});

test("a recovery link brings a player back once, and gives a new one", async ({ person }) => {
  const [host, later, again] = [await person(), await person(), await person()];
  await invite(host);
  const link = await host.getByRole("textbox", { name: `Recovery link for ${FIRST}` }).inputValue();
  await later.goto(link);
  await expect(later.getByRole("heading", { name: `Waiting for ${SECOND}` })).toBeVisible();
  const fresh = await later.getByRole("textbox", { name: `Recovery link for ${FIRST}` }).inputValue();
  expect(fresh).not.toBe(link);
  await again.goto(link);
  await expect(again.getByRole("heading", { name: "This link was already used" })).toBeVisible();
  await again.goto(fresh);
  await expect(again.getByRole("heading", { name: `Waiting for ${SECOND}` })).toBeVisible();
});

test("an account keeps the seat: another browser signs in and plays", async ({ person }) => {
  const [host, other] = [await person(), await person()];
  const credentials = { name: `Player ${Date.now()}`, password: "correct horse battery" };
  await host.request.post("/api/accounts", { data: credentials });
  await invite(host);
  await expect(host.getByText("Your account keeps your seat.")).toBeVisible();
  await other.request.post("/api/session", { data: credentials });
  await other.goto("/");
  await other.getByRole("link", { name: new RegExp(`Waiting for ${SECOND}`) }).click();
  await expect(other.getByText("Your account keeps your seat.")).toBeVisible();
});

test("a player resigns, and the rematch is accepted with the key of the old match", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const game: Game = await matchOfTwo(one.request);
  await sit(one, game, FIRST);
  await sit(two, game, SECOND);
  await one.getByRole("button", { name: "Game", exact: true }).click();
  await one.getByRole("menuitem", { name: "Resign…" }).click();
  await one.getByRole("button", { name: "Resign", exact: true }).click();
  await expect(one.getByRole("dialog")).toContainText("You lose");
  await expect(two.getByRole("dialog")).toContainText("You win");
  await two.screenshot({ path: "screens/resigned-1280x800.png" });
  await two.getByRole("button", { name: "Rematch" }).click();
  await expect(two.getByRole("heading", { name: `Waiting for ${FIRST}` })).toBeVisible();
  await one.getByRole("button", { name: "Accept rematch" }).click();
  for (const page of [one, two]) {
    await expect(page).not.toHaveURL(new RegExp(game.id));
    await expect(counters(page)).toBeVisible({ timeout: 30_000 });
  }
});
