import type { Page } from "@playwright/test";
import { atCombat, click, expect, FIRST, mapDrawn, newGame, sit, SECOND, test, tooWide, view, type Game } from "./seats";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

/** Where a hex is on the screen now, and the part of the screen that the map has. The map is not moved. */
async function seen(page: Page, number: string, game = "paa"): Promise<{ x: number; y: number; left: number; top: number; right: number; bottom: number }> {
  const { hexes } = (await (await page.request.get(`/api/boards/${game}`)).json()) as { hexes: { number: string; x: number; y: number }[] };
  return page.evaluate(({ x, y }) => {
    const m = new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform);
    const { left, top, right, bottom } = document.querySelector(".viewport")!.getBoundingClientRect();
    return { x: left + m.e + x * m.a, y: top + m.f + y * m.a, left, top, right, bottom };
  }, hexes.find((hex) => hex.number === number)!);
}

/** Expect a hex to be on the part of the screen that shows the map, with its counter. */
async function expectInSight(page: Page, number: string, game = "paa"): Promise<void> {
  await expect(async () => {
    const at = await seen(page, number, game);
    expect(at.x).toBeGreaterThan(at.left + 20);
    expect(at.x).toBeLessThan(at.right - 20);
    expect(at.y).toBeGreaterThan(at.top + 20);
    expect(at.y).toBeLessThan(at.bottom - 20);
  }).toPass({ timeout: 10_000 });
}

async function inCombat(page: Page): Promise<Game> {
  const game = await atCombat(page.request);
  await click(page.request, game, FIRST, "1006");
  await sit(page, game, FIRST);
  await expect(page.locator(".sheet[aria-label^=Combat]").first()).toBeVisible();
  return game;
}

test("a match that is opened in mid-combat shows the attacked hex and the attackers above the sheet", async ({ page }) => {
  await inCombat(page);
  await mapDrawn(page);
  for (const hex of ["1006", "0906", "1005"]) await expectInSight(page, hex);
  // Also if the position came before the names of its counters.
  await expect(page.locator(".sheet .sides").first()).not.toContainText("DE ");
  expect(await tooWide(page)).toBe(0);
  await page.screenshot({ path: "screens/phone-combat-390x844.png" });
});

test("the column below the map is as high as what it shows, at most two fifths", async ({ page }) => {
  await inCombat(page);
  const column = page.getByRole("complementary", { name: "Combat" });
  const [desk, all] = [(await page.locator(".desk").boundingBox())!, (await column.boundingBox())!];
  expect(all.height).toBeLessThanOrEqual(0.43 * desk.height);
  // Of a sheet that is almost empty.
  await page.evaluate(() => document.querySelectorAll(".sheet > :not(h3)").forEach((part) => part.remove()));
  await expect.poll(async () => (await column.boundingBox())!.height).toBeLessThan(140);
});

test("the column for combats takes no room while it has nothing to show", async ({ page }) => {
  const game = await atCombat(page.request);
  await sit(page, game, FIRST);
  await expect(page.locator("footer")).toContainText("Choose a hex to attack");
  await expect(page.getByRole("complementary", { name: "Combat" })).toHaveCount(0);
});

test("of a front that is longer than the screen the player's part is shown first", async ({ page }) => {
  const game = await newGame(page.request, { [FIRST]: "me", [SECOND]: "passive" }, { game: "afrika", scenario: "rommel" });
  // The computer may have to decide first.
  await expect.poll(async () => Object.keys((await view(page.request, game, FIRST)).question?.units ?? {}).length).toBeGreaterThan(0);
  const { units, question } = await view(page.request, game, FIRST);
  const own = new Set(Object.keys(question!.units!).map((unit) => units[unit]!.at));
  expect(own.size).toBeGreaterThan(1);
  await sit(page, game, FIRST);
  for (const hex of own) await expectInSight(page, hex, "afrika");
});
