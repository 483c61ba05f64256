import type { Page } from "@playwright/test";
import { atMovement, expect, FIRST, GAME, mapDrawn, newGame, playUntil, SECOND, sit, spot, stacksIn, test, unitAt, view, type Game } from "./seats";

/** A match of the other game at its first movement. */
async function otherGame(page: Page): Promise<Game> {
  const game = await newGame(page.request, { [FIRST]: "me", [SECOND]: "passive" }, { game: "kasserine", scenario: "campaign" });
  await playUntil(page.request, { ...game, keys: { [FIRST]: game.keys[FIRST]! } }, ({ question }) => question!.kind === "move.stack");
  return game;
}

/** Where the stacks of a game are on the screen, now. */
async function onScreen(page: Page, hexes: string[], game: string): Promise<{ hex: string; x: number; y: number }[]> {
  const board = (await (await page.request.get(`/api/boards/${game}`)).json()) as { hexes: { number: string; x: number; y: number }[] };
  return page.evaluate((spots) => {
    const m = new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform);
    const frame = document.querySelector(".viewport")!.getBoundingClientRect();
    return spots
      .map(({ number, x, y }) => ({ hex: number, x: frame.left + m.e + x * m.a, y: frame.top + m.f + y * m.a }))
      .filter(({ x, y }) => document.elementFromPoint(x, y)?.closest("[data-unit]"));
  }, board.hexes.filter(({ number }) => hexes.includes(number)));
}

/** Whether the card of the hex under the pointer covers a part of the fan. */
const covered = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const [card, fan] = [".place", "[data-fan]"].map((one) => document.querySelector(one)!.getBoundingClientRect());
    return fan!.left < card!.right && fan!.right > card!.left && fan!.top < card!.bottom && fan!.bottom > card!.top;
  });

/** Hover over every stack in sight, one after another: each opens, and the counter under the pointer stays under it. */
async function hoverAll(page: Page, game: Game, id: string): Promise<number> {
  const stacks = stacksIn(await view(page.request, game, FIRST));
  let opened = 0;
  for (const { hex, x, y } of await onScreen(page, Object.keys(stacks), id)) {
    // The middle of a counter, or near its corner by turns.
    const at = opened % 2 ? { x: x + 7, y: y - 6 } : { x: x + 1, y: y + 1 };
    await page.mouse.move(2, 400);
    await expect(page.locator(".counter.fanned")).toHaveCount(0);
    const before = await unitAt(page, at);
    const here = before && (await page.locator(`.counter[data-unit="${before}"]`).getAttribute("data-at"));
    if (!here || !stacks[here]) continue;
    await page.mouse.move(at.x - 1, at.y);
    await page.mouse.move(at.x, at.y);
    await expect(page.locator(`.counter.fanned[data-unit="${before}"]`), hex).toBeVisible();
    expect(await unitAt(page, at), `${hex}: the counter under the pointer`).toBe(before);
    await expect.poll(() => covered(page), { message: `${hex}: the card of the hex over its fan` }).toBe(false);
    opened++;
  }
  return opened;
}

test("over thirty stacks of both games the counter under the pointer stays under it", async ({ page, person }) => {
  const first = await atMovement(page.request);
  await sit(page, first, FIRST);
  let count = await hoverAll(page, first, GAME);
  await page.keyboard.press("0");
  await mapDrawn(page);
  count += await hoverAll(page, first, GAME);
  const other = await person();
  const second = await otherGame(other);
  await sit(other, second, FIRST);
  count += await hoverAll(other, second, "kasserine");
  await other.keyboard.press("0");
  await mapDrawn(other);
  count += await hoverAll(other, second, "kasserine");
  expect(count).toBeGreaterThanOrEqual(30);
});

test("the fan of the next stack opens while one is open", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  const one = "0702";
  const at = await spot(page, one);
  await page.mouse.move(at.x + 2, at.y);
  await page.mouse.move(at.x, at.y);
  await expect(page.locator(`.counter.fanned[data-at="${one}"]`).first()).toBeVisible();
  // Any stack that the open fan does not cover.
  const stacks = stacksIn(await view(page.request, game, FIRST));
  for (const { hex, x, y } of await onScreen(page, Object.keys(stacks), GAME)) {
    const unit = await unitAt(page, { x, y });
    const here = unit && (await page.locator(`.counter[data-unit="${unit}"]`).getAttribute("data-at"));
    if (hex === one || here !== hex) continue;
    await page.mouse.move(x, y, { steps: 3 });
    await expect(page.locator(`.counter.fanned[data-at="${hex}"]`).first()).toBeVisible();
    await expect(page.locator(`.counter.fanned[data-at="${one}"]`)).toHaveCount(0);
    return;
  }
  throw new Error("no second stack in sight");
});

test("combat units are above lorries and installations", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  const at = await spot(page, "0702");
  expect(await unitAt(page, at)).toMatch(/^DE /);
});
