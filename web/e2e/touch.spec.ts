import type { Locator, Page } from "@playwright/test";
import { answered, atMovement, click, expect, FIRST, mapDrawn, sit, spot, test, unitIn, view, type Game } from "./seats";

test.use({ viewport: { width: 1180, height: 820 }, hasTouch: true });

/** A page at the first movement phase of the first side. */
async function moving(page: Page): Promise<Game> {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  await mapDrawn(page);
  return game;
}

const scale = (page: Page) => page.evaluate(() => new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform).a);

/** Press a point of the screen until something shows. */
async function pressLong(page: Page, { x, y }: { x: number; y: number }, until: Locator): Promise<void> {
  const hand = await page.context().newCDPSession(page);
  await hand.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  await until.waitFor();
  await hand.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("two fingers zoom the map", async ({ page }) => {
  await moving(page);
  const before = await scale(page);
  const hand = await page.context().newCDPSession(page);
  const fingers = (apart: number) => [{ x: 590 - apart, y: 400, id: 1 }, { x: 590 + apart, y: 400, id: 2 }];
  await hand.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(60) });
  for (let apart = 70; apart <= 120; apart += 10) await hand.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(apart) });
  await hand.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await expect.poll(() => scale(page)).toBeGreaterThan(before * 1.5);
});

test("a unit is moved with a finger: a first tap looks, a second clicks", async ({ page }) => {
  const game = await moving(page);
  const unit = await unitIn(page.request, game, "0702");
  const stack = await spot(page, "0702");
  const counter = page.locator(`.counter.fanned[data-unit="${unit}"]`);
  await pressLong(page, stack, counter);
  await counter.tap();
  await expect(counter).toHaveClass(/selected/);
  await answered(page, () => counter.tap());
  const reach = (await view(page.request, game, FIRST)).question!;
  const hex = Object.keys(reach.hexes!).find((name) => name.startsWith("080"))!;
  const target = await spot(page, hex);
  await page.touchscreen.tap(target.x, target.y);
  await expect(page.locator(".tip .cost")).toBeVisible();
  await expect(page.locator("path.way").first()).toBeAttached();
  await page.screenshot({ path: "screens/touch-way-1180x820.png" });
  await answered(page, () => page.touchscreen.tap(target.x, target.y));
  await expect.poll(async () => (await view(page.request, game, FIRST)).units[unit]!.at).toBe(hex);
});

test("a closed hex that is pressed says why", async ({ page }) => {
  const game = await moving(page);
  const { question } = await click(page.request, game, FIRST, await unitIn(page.request, game, "0702"));
  expect("0903" in question!.hexes!).toBe(false);
  const why = page.locator(".tip .why");
  await pressLong(page, await spot(page, "0903"), why);
  await expect(why).toContainText("Closed.");
});
