import { expect, test } from "@playwright/test";
import { click, FIRST, newGame, playUntil, SECOND, sit, view } from "./seats";

test("a game against the computer is one click from the first screen", async ({ page }) => {
  await page.goto("/");
  await page.getByText("Play against the computer").click();
  await expect(page).toHaveURL(/\/game\//);
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  await expect(page.locator("footer .mine")).toBeVisible({ timeout: 20_000 });
});

test("a game is played again in its replay, and a moment of it is an address", async ({ page }) => {
  const game = await newGame(page.request, { [FIRST]: "me", [SECOND]: "me" });
  await playUntil(page.request, game, ({ phase }) => phase === "axis movement");
  const { question } = await view(page.request, game, FIRST);
  const unit = Object.keys(question!.units!)[0]!;
  await click(page.request, game, FIRST, unit);
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
  const game = await newGame(page.request, { [FIRST]: "me", [SECOND]: "me" });
  await page.goto(`/game/${game.id}`);
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  await expect(page.locator("footer")).toContainText(SECOND);
  await expect(page.locator("footer .answers button")).toHaveCount(0);
  await expect(page.locator(".curtain")).toHaveCount(0);
});

for (const [width, height] of [[1024, 700], [1280, 800], [1920, 1080]] as const) {
  for (const [name, path] of [["start", "/"], ["board", "/boards/paa"], ["rules", "/rules/paa"]] as const) {
    test(`the page ${path} at ${width}x${height} is no wider than its window`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.goto(path, { waitUntil: "networkidle" });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      await page.screenshot({ path: `screens/${name}-${width}x${height}.png` });
    });
  }
}
