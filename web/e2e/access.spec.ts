import type { Page } from "@playwright/test";
import { barriers } from "./barriers";
import { atMovement, click, expect, FIRST, sit, test, unitIn, type Game } from "./seats";

/** A game in which a unit has been chosen to move. */
async function moving(page: Page): Promise<Game> {
  const game = await atMovement(page.request);
  await click(page.request, game, FIRST, await unitIn(page.request, game, "0702"));
  return game;
}

for (const path of ["/", "/games", "/boards/paa", "/rules/paa", "/account", "/nowhere"]) {
  test(`the page ${path} has no barrier`, async ({ page }) => {
    await page.goto(path, { waitUntil: "networkidle" });
    expect(await barriers(page)).toEqual([]);
  });
}

test("the account of somebody who has one has no barrier", async ({ page }) => {
  await page.goto("/account");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByLabel("Name").fill("Somebody");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { name: /Somebody/ })).toBeVisible();
  expect(await barriers(page)).toEqual([]);
});

test("the table has no barrier, whichever panel is open", async ({ page }) => {
  await sit(page, await moving(page), FIRST);
  expect(await barriers(page), "the whole table").toEqual([]);
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    expect(await barriers(page, "aside.right"), await tab.innerText()).toEqual([]);
  }
});

test("the table has no barrier with its layers, its menu or its help", async ({ page }) => {
  await sit(page, await moving(page), FIRST);
  for (let layer = 1; layer <= 9; layer++) await page.keyboard.press(String(layer));
  expect(await barriers(page), "layers").toEqual([]);
  await page.keyboard.press("?");
  expect(await barriers(page, "dialog[open]"), "help").toEqual([]);
  await page.keyboard.press("Escape");
  await page.locator("footer .rule").first().click();
  expect(await barriers(page, "aside.drawer"), "a rule").toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Game", exact: true }).click();
  expect(await barriers(page, "header"), "menu").toEqual([]);
});

test("the replay has no barrier", async ({ page }) => {
  const game = await moving(page);
  await sit(page, game, FIRST);
  await page.goto(`/game/${game.id}/replay?at=3`, { waitUntil: "networkidle" });
  expect(await barriers(page)).toEqual([]);
});
