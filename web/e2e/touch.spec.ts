import type { Locator, Page } from "@playwright/test";
import { answered, atCombat, atMovement, click, expect, FIRST, mapDrawn, newGame, playUntil, sit, spot, test, unitIn, view, type Game } from "./seats";

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

test("one unit of a stack is moved with a finger: a long press fans it out, a tap on a hex looks, a second moves", async ({ page }) => {
  const game = await moving(page);
  const unit = await unitIn(page.request, game, "0702");
  const stack = await spot(page, "0702");
  const counter = page.locator(`.counter.fanned[data-unit="${unit}"]`);
  await pressLong(page, stack, counter);
  await answered(page, () => counter.tap());
  expect((await view(page.request, game, FIRST)).question!.about).toEqual([unit]);
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

test("a stack is selected with one tap, moved and undone; the phase is ended and taken back", async ({ page }) => {
  const game = await moving(page);
  const foot = page.locator("footer");
  const now = () => view(page.request, game, FIRST);
  const stack = await spot(page, "0702");
  await answered(page, () => page.touchscreen.tap(stack.x, stack.y));
  const about = (await now()).question!.about!;
  expect(about).toHaveLength(3);
  const target = await spot(page, "0805");
  await page.touchscreen.tap(target.x, target.y);
  await expect(page.locator(".tip .cost")).toBeVisible();
  await answered(page, () => page.touchscreen.tap(target.x, target.y));
  expect((await now()).units[about[2]!]!.at).toBe("0805");
  await answered(page, () => foot.getByRole("button", { name: /^Undo/ }).first().tap());
  expect((await now()).units[about[2]!]!.at).toBe("0702");
  await answered(page, () => foot.getByRole("button", { name: "End movement", exact: true }).tap());
  expect((await now()).phase).not.toBe("axis movement");
  await answered(page, () => foot.getByRole("button", { name: /^Undo/ }).first().tap());
  expect((await now()).phase).toBe("axis movement");
});

test("an attack is declared with a finger: a first tap shows the odds", async ({ page }) => {
  const game = await atCombat(page.request);
  await sit(page, game, FIRST);
  const target = await spot(page, "1006");
  await page.touchscreen.tap(target.x, target.y);
  await expect(page.getByRole("region", { name: /^Combat/ }).first()).toBeAttached();
  await answered(page, () => page.touchscreen.tap(target.x, target.y));
  expect((await view(page.request, game, FIRST)).question!.kind).toBe("combat.attackers");
  await answered(page, () => page.locator("footer").getByRole("button", { name: "Declare combat", exact: true }).tap());
  expect((await view(page.request, game, FIRST)).question!.kind).not.toBe("combat.attackers");
});

test("a closed hex that is pressed says why", async ({ page }) => {
  const game = await moving(page);
  const { question } = await click(page.request, game, FIRST, await unitIn(page.request, game, "0702"));
  expect("0903" in question!.hexes!).toBe(false);
  const why = page.locator(".tip .why");
  await pressLong(page, await spot(page, "0903"), why);
  await expect(why).toContainText("0903");
});

test("on a phone the answers of a decision without a main button are one tap away, under a name that says so", async ({ page }) => {
  const game = await newGame(page.request, { Axis: "me", Allied: "me" }, { game: "afrika", scenario: "gazala" });
  await playUntil(page.request, game, ({ question }) => question?.kind === "barrage.target");
  const fire = (await click(page.request, game, FIRST, "A34.24")).question!;
  expect(fire.kind).toBe("barrage.fire");
  await page.setViewportSize({ width: 390, height: 844 });
  await sit(page, game, FIRST);
  const foot = page.locator("footer");
  const choose = foot.getByRole("button", { name: /^Choose \d/ });
  await expect(choose).toHaveClass(/main/);
  await choose.tap();
  await answered(page, () => foot.getByRole("list", { name: "Choices" }).getByRole("button", { name: "Fire without air" }).tap());
});
