import { readFileSync } from "node:fs";
import { barriers } from "./barriers";
import { atEverySize, atMovement, BOTH, click, expect, FIRST, newGame, SECOND, sit, test, tooWide, unitIn, type Game } from "./seats";

test("a game against the computer is one click from the first screen", async ({ page }) => {
  await page.goto("/");
  await page.getByText("Play against the computer").click();
  await expect(page).toHaveURL(/\/game\//);
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  await expect(page.locator("footer .mine")).toBeVisible({ timeout: 20_000 });
});

test("every game can be chosen on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  const games = page.getByRole("group", { name: "Game" }).getByRole("button");
  await expect(games.first()).toBeVisible();
  for (const game of await games.all()) await expect(game).toBeInViewport({ ratio: 1 });
  await expect(page.getByText("both sides on one screen")).toBeInViewport({ ratio: 1 });
  for (const way of await page.getByRole("link", { name: "Laboratory", exact: true }).all()) {
    await way.scrollIntoViewIfNeeded();
    await expect(way).toBeInViewport({ ratio: 1 });
  }
});

test("a game is played again in its replay, and a moment of it is an address", async ({ page }) => {
  const game = await atMovement(page.request);
  await click(page.request, game, FIRST, await unitIn(page.request, game, "0702"));
  await sit(page, game, FIRST);
  await page.goto(`/game/${game.id}/replay`);
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  const slider = page.getByRole("slider").first();
  await slider.focus();
  await page.keyboard.press("Home");
  await expect(slider).toHaveValue("0");
  await expect(page).toHaveURL(/at=0/);
});

test("a spectator is shown the table and asked nothing", async ({ page }) => {
  const game = await newGame(page.request, BOTH);
  await page.goto(`/game/${game.id}`);
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  await expect(page.locator("footer")).toContainText(SECOND);
  await expect(page.locator("footer .answers button")).toHaveCount(0);
  await expect(page.locator(".curtain")).toHaveCount(0);
});

test("after a game the browser works every roll out anew", async ({ page }) => {
  const record = readFileSync("../tests/rulebook/paa/games/9-malta.jsonl", "utf8");
  const put = await page.request.post("/api/matches/import", { data: { record, seats: BOTH } });
  const game = (await put.json()) as Game;
  await sit(page, game, FIRST);
  const end = page.getByRole("dialog");
  await end.getByText("Were the dice fair?").click();
  await expect(end).toContainText("The key fits.");
  await expect(end).toContainText(/(\d+) of \1 rolls checked; all follow from the key/);
  await end.getByText("Every roll", { exact: true }).click();
  await expect(end.getByRole("region", { name: "Every roll" }).getByRole("row").nth(1)).toContainText("✓");
  expect(await barriers(page)).toEqual([]);
  await page.screenshot({ path: "screens/dice-1280x800.png" });
});

test("an account changes its password and is closed", async ({ page }) => {
  await page.goto("/account");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByLabel("Name").fill("Passer-by");
  await page.getByLabel("Password").fill("the first password");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByLabel("Current password").fill("the first password");
  await page.getByLabel("New password").fill("the second password");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed.")).toBeVisible();
  await page.screenshot({ path: "screens/account-1280x800.png", fullPage: true });
  await page.getByRole("button", { name: "Close account…" }).click();
  await page.getByRole("dialog").getByLabel("Password").fill("the first password");
  await page.getByRole("button", { name: "Close account", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("Name or password is wrong");
  await page.getByRole("dialog").getByLabel("Password").fill("the second password");
  await page.getByRole("button", { name: "Close account", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});

for (const [name, path] of [["start", "/"], ["board", "/boards/paa"], ["rules", "/rules/paa"]] as const) {
  test(`the page ${path} is at no size wider than its window`, async ({ page }) => {
    await page.goto(path, { waitUntil: "networkidle" });
    await atEverySize(page, async (size) => {
      expect(await tooWide(page)).toBe(0);
      await page.screenshot({ path: `screens/${name}-${size}.png` });
    });
  });
}

test("the list of chapters shows the one that is read", async ({ page }) => {
  await page.goto("/rules/kasserine#18.2.6");
  const list = page.getByRole("navigation", { name: "Chapters" }).getByRole("list");
  const current = list.locator("[aria-current]");
  await expect(current).toContainText("18");
  await expect(current).toBeInViewport({ ratio: 1 });
  await page.locator(".book").evaluate((book) => book.scrollTo(0, 0));
  await expect(current).not.toContainText("18");
  await expect(current).toBeInViewport({ ratio: 1 });
  // A phone has no room for the list: there it is a menu.
  await page.setViewportSize({ width: 390, height: 844 });
  const menu = page.getByRole("combobox", { name: "Chapter" });
  await menu.selectOption("18.0");
  await expect(page.locator("article.here")).toBeInViewport();
});
