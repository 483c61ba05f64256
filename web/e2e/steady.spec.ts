import type { Page } from "@playwright/test";
import { answered, BOTH, click, expect, FIRST, newGame, playUntil, pointAt, sit, spot, test, view, type Game } from "./seats";

const KASSERINE = { game: "kasserine", scenario: "faid" };
/** The dice of a first turn with dry weather, in which aircraft fly. */
const DRY = 2;
/** Two stacks beside Faid Pass, the pass, and an enemy north of it. */
const [EAST, SOUTH, PASS, NORTH] = ["6424", "6325", "6324", "6322"];

const where = (page: Page): Promise<string> => page.evaluate(() => getComputedStyle(document.querySelector(".stage")!).transform);

async function until(page: Page, kind: string, seed = 7): Promise<Game> {
  const game = await newGame(page.request, BOTH, { ...KASSERINE, seed });
  await playUntil(page.request, game, ({ question }) => question!.side === FIRST && question!.kind === kind);
  return game;
}

/** Drag the map until a hex is so far from the upper edge. */
async function bringToTop(page: Page, hex: string, below: number): Promise<{ x: number; y: number }> {
  const { y } = await spot(page, hex, "kasserine");
  const top = (await page.locator(".viewport").boundingBox())!.y;
  await page.mouse.move(200, 600);
  await page.mouse.down();
  await page.mouse.move(200, 600 - (y - top - below), { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(200, 300);
  await page.waitForTimeout(400);
  return page.locator(`.counter[data-at="${hex}"]`).last().boundingBox().then((box) => ({ x: box!.x + box!.width / 2, y: box!.y + box!.height / 2 }));
}

test("the map stays where it is while what can be clicked is in sight, and a selection has one button that drops it", async ({ page }) => {
  const game = await until(page, "move.stack");
  await sit(page, game, FIRST);
  const stack = await bringToTop(page, EAST, 45);
  const before = await where(page);
  const foot = page.locator("footer");
  await answered(page, () => page.mouse.click(stack.x, stack.y));
  await page.waitForTimeout(500);
  expect(await where(page)).toBe(before);
  await expect(foot.getByRole("button", { name: "Cancel" })).toBeVisible();
  await expect(foot.getByRole("button", { name: /^Undo/ })).toHaveCount(0);
  await answered(page, () => foot.getByRole("button", { name: "Cancel" }).click());
  await bringToTop(page, NORTH, 40);
  const moved = await where(page);
  // The targets of the next phase are few, and all in sight.
  await answered(page, () => foot.getByRole("button", { name: "End movement" }).click());
  await expect(foot).toContainText("Choose a hex to attack");
  await page.waitForTimeout(500);
  expect(await where(page)).toBe(moved);
});

test("a match is opened where its decision is, although most units meet elsewhere", async ({ page }) => {
  const game = await newGame(page.request, BOTH, { ...KASSERINE, scenario: "campaign" });
  const { question, units } = await playUntil(page.request, game, ({ question }) => question!.side === FIRST && question!.kind === "move.stack");
  // The north, far from Faid Pass.
  const unit = Object.keys(question!.units!).find((name) => /^\d\d0\d$/.test(units[name]!.at))!;
  await click(page.request, game, FIRST, unit);
  await sit(page, game, FIRST);
  await expect(page.locator(`.counter[data-at="${units[unit]!.at}"]`).last()).toBeInViewport();
});

test("a unit that can act keeps its blue rim when it has been looked at", async ({ page }) => {
  await sit(page, await until(page, "move.stack"), FIRST);
  const { x, y } = await spot(page, SOUTH, "kasserine");
  await answered(page, () => page.mouse.click(x, y));
  await answered(page, () => page.getByRole("button", { name: "Cancel" }).click());
  const top = page.locator(`.counter.selected[data-at="${SOUTH}"]`);
  await page.mouse.move(100, 300);
  const rims = await page.evaluate(() => {
    const own = getComputedStyle(document.documentElement).getPropertyValue("--own").trim();
    const probe = document.createElement("i");
    probe.style.color = own;
    document.body.append(probe);
    const blue = getComputedStyle(probe).color;
    probe.remove();
    return [...document.querySelectorAll(".counter.open")].map((one) => getComputedStyle(one, "::after").borderTopColor === blue);
  });
  expect(rims.length).toBeGreaterThan(3);
  expect(rims.every(Boolean)).toBe(true);
  expect(await top.count()).toBeLessThan(2);
});

test("a click on a pile takes all its units out of a combat, and puts them back", async ({ page }) => {
  const game = await until(page, "combat.target");
  await click(page.request, game, FIRST, PASS);
  await sit(page, game, FIRST);
  const { units, question } = await view(page.request, game, FIRST);
  const stack = question!.about!.filter((name) => units[name]!.at === SOUTH);
  expect(stack.length).toBe(2);
  const { x, y } = await spot(page, SOUTH, "kasserine");
  const inside = async (): Promise<string[]> => (await view(page.request, game, FIRST)).question!.about!.filter((name) => stack.includes(name));
  const card = page.locator(".place");
  await page.mouse.click(x, y);
  await expect.poll(inside).toEqual([]);
  await expect(card).toContainText("Click: add the stack");
  await page.mouse.click(x, y);
  await expect.poll(inside).toEqual(stack);
  // In the fan a click means one unit.
  await page.mouse.move(x, y - 200);
  await pointAt(page, { x, y });
  const counter = page.locator(`.counter.fanned[data-unit="${stack[0]!}"]`);
  await counter.hover();
  await expect(card).toContainText("Click: remove this unit");
  await answered(page, () => counter.click());
  await expect.poll(inside).toEqual([stack[1]]);
});

test("a roll in the middle of a combat is shown above its sheet", async ({ page }) => {
  const game = await until(page, "combat.target", DRY);
  for (const name of [PASS, "5+6/104/21", "7+8/104/21", "assault", "done"]) await click(page.request, game, FIRST, name);
  const { question } = await playUntil(page.request, game, ({ question }) => question!.kind === "combat.air");
  await sit(page, game, FIRST);
  const plane = Object.keys(question!.units!)[0]!;
  await answered(page, () => page.locator(`.tray [data-unit="${plane}"]`).click());
  const more = page.getByRole("button", { name: "End air support" });
  if (await more.isVisible()) await answered(page, () => more.click());
  const roll = page.getByRole("region", { name: "Last roll" });
  await expect(roll).toContainText("rrival of");
  const sheet = page.locator(".sheet[aria-label^=Combat]").first();
  expect((await roll.boundingBox())!.y).toBeLessThan((await sheet.boundingBox())!.y);
  await expect(roll).toBeInViewport();
});

/** A page of another game at the first movement. */
async function atFirstMovement(page: Page, box: { game: string; scenario: string }): Promise<Game> {
  const game = await newGame(page.request, BOTH, box);
  await playUntil(page.request, game, ({ question }) => question!.side === FIRST && question!.kind === "move.stack");
  await sit(page, game, FIRST);
  return game;
}

test("the tray keeps its units in their order while one is selected with which not all can go", async ({ page }) => {
  const game = await atFirstMovement(page, { game: "afrika", scenario: "rommel" });
  const tray = page.getByRole("group", { name: "Off the map" });
  const pieces = tray.locator("[data-unit]");
  const heading = tray.locator(".heading");
  if ((await heading.getAttribute("aria-expanded")) === "false") await heading.click();
  const units = (): Promise<(string | null)[]> => pieces.evaluateAll((all) => all.map((one) => one.getAttribute("data-unit")));
  const before = await units();
  const [chosen, alone] = ["104 Shu Rgt/5 Le", "Bologna Div"];
  expect(before).toEqual(expect.arrayContaining([chosen, alone]));
  await answered(page, () => tray.locator(`[data-unit="${chosen}"]`).click());
  const { question } = await view(page.request, game, FIRST);
  expect(question!.about).toContain(chosen);
  expect(question!.units).not.toHaveProperty([alone]);
  await expect(tray.locator(".about")).not.toHaveCount(0);
  expect(await units()).toEqual(before);
});

test("the main button is at the right end", async ({ page }) => {
  await atFirstMovement(page, { game: "na41", scenario: "campaign" });
  const right = (await page.locator("footer .answers .button.main").boundingBox())!.x;
  const others = await page.locator("footer .answers .button:not(.main)").all();
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) expect((await other.boundingBox())!.x).toBeLessThan(right);
});
