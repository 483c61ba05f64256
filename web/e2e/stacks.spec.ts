import type { Page } from "@playwright/test";
import { answered, atMovement, clickUnit, expect, FIRST, GAME, newGame, playUntil, pointAt, SECOND, sit, spot, stacksIn, test, unitAt, view, type Game } from "./seats";

const STACK = "0702";

async function moving(page: Page): Promise<Game> {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  return game;
}

/** A page of the other game at its first movement. */
async function otherGame(page: Page, scenario = "campaign"): Promise<Game> {
  const game = await newGame(page.request, { [FIRST]: "me", [SECOND]: "passive" }, { game: "kasserine", scenario });
  await playUntil(page.request, { ...game, keys: { [FIRST]: game.keys[FIRST]! } }, ({ question }) => question!.kind === "move.stack");
  await sit(page, game, FIRST);
  return game;
}

const about = async (page: Page, game: Game, side: string = FIRST): Promise<string[]> => (await view(page.request, game, side)).question?.about ?? [];
const press = async (page: Page, hex: string, modifiers: "Shift"[] = [], game = GAME): Promise<void> => {
  const at = await spot(page, hex, game);
  for (const key of modifiers) await page.keyboard.down(key);
  await answered(page, () => page.mouse.click(at.x, at.y));
  for (const key of modifiers) await page.keyboard.up(key);
};

test("three units move together with two clicks, and the record holds ordinary clicks", async ({ page }) => {
  const game = await moving(page);
  await press(page, STACK);
  const units = await about(page, game);
  expect(units).toHaveLength(3);
  await press(page, "0905");
  const now = await view(page.request, game, FIRST);
  expect(units.map((unit) => now.units[unit]!.at)).toEqual(["0905", "0905", "0905"]);
  const record = await (await page.request.get(`/api/matches/${game.id}/record`, { headers: { "X-Khamsin-Key": game.keys[FIRST]! } })).text();
  expect(record).toContain(STACK);
  expect(record).toContain("0905");
});

test("a click on a stack folds its fan until the pointer returns; there a unit is removed and added by a click", async ({ page }) => {
  const game = await moving(page);
  const at = await spot(page, STACK);
  await pointAt(page, at);
  await expect(page.locator(".counter.fanned").first()).toBeVisible();
  await press(page, STACK);
  const [first, second] = await about(page, game);
  await expect(page.locator(".counter.fanned")).toHaveCount(0);
  await page.mouse.move(at.x, at.y - 150);
  await pointAt(page, at);
  const counter = page.locator(`.counter.fanned[data-unit="${(await unitAt(page, at)) === first ? second : first}"]`);
  await expect(counter).toHaveClass(/about/);
  await answered(page, () => counter.click());
  await expect(counter).not.toHaveClass(/about/);
  expect(await about(page, game)).toHaveLength(2);
  await answered(page, () => counter.click());
  await expect(counter).toHaveClass(/about/);
  expect(await about(page, game)).toHaveLength(3);
});

test("a click in the fan selects the whole stack until the pointer goes to another counter", async ({ page }) => {
  const game = await moving(page);
  const at = await spot(page, STACK);
  await pointAt(page, at);
  await expect(page.locator(`.counter.fanned[data-at="${STACK}"]`).first()).toBeVisible();
  const [first, second] = Object.keys((await view(page.request, game, FIRST)).question!.units!).filter((unit) => unit.startsWith("DE 5/"));
  const anchor = await unitAt(page, at);
  const other = page.locator(`.counter[data-unit="${anchor === first ? second : first}"]`);
  await expect(page.locator(".counter.aimed")).toHaveCount(3);
  await other.hover();
  await expect(page.locator(".counter.aimed")).toHaveCount(1);
  await answered(page, () => other.click());
  expect(await about(page, game)).toHaveLength(1);
});

test("a click on a pile of guns that move one by one selects the gun under the pointer", async ({ page }) => {
  // Three Deployed guns: each changes its mode alone.
  const guns = "4418";
  const game = await otherGame(page, "decide");
  const at = await spot(page, guns, "kasserine");
  const wanted = await unitAt(page, at);
  await page.mouse.click(at.x, at.y);
  await expect.poll(() => about(page, game)).toEqual([wanted]);
});

test("the selection is dropped by a click on it and by Escape", async ({ page }) => {
  const game = await moving(page);
  await press(page, STACK);
  expect(await about(page, game)).toHaveLength(3);
  await press(page, STACK);
  expect(await about(page, game)).toHaveLength(0);
  await press(page, STACK);
  await answered(page, () => page.keyboard.press("Escape"));
  expect(await about(page, game)).toHaveLength(0);
});

test("a click on another stack switches the selection; where that is a destination, Shift does", async ({ page }) => {
  const game = await moving(page);
  await press(page, STACK);
  const now = await view(page.request, game, FIRST);
  const own = Object.keys(stacksIn(now)).filter((hex) => hex.startsWith("0") && hex !== STACK);
  const destination = own.find((hex) => hex in now.question!.hexes!)!;
  const at = await spot(page, destination);
  await page.mouse.move(at.x, at.y);
  await expect(page.locator(".tip .cost")).toContainText("Shift-click: select this stack");
  await press(page, destination, ["Shift"]);
  expect(now.units[(await about(page, game))[0]!]!.at).toBe(destination);
});

test("a click on a stack that is no destination switches the selection", async ({ page }) => {
  const game = await otherGame(page);
  const { question, units } = await view(page.request, game, FIRST);
  const [one] = Object.keys(stacksIn({ units } as never)).filter((hex) => hex in question!.hexes!);
  await press(page, one!, [], "kasserine");
  const now = await view(page.request, game, FIRST);
  const other = Object.keys(question!.hexes!).find((hex) => hex !== one && !(hex in now.question!.hexes!))!;
  await press(page, other, [], "kasserine");
  await expect.poll(async () => (await about(page, game)).map((unit) => units[unit]!.at)[0]).toBe(other);
});

test("a stack is dragged to its destination, with the path shown", async ({ page }) => {
  const game = await moving(page);
  const [from, to] = [await spot(page, STACK), await spot(page, "0905")];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 12, from.y + 4, { steps: 3 });
  await expect(page.locator(".ghost")).toBeVisible();
  await expect.poll(() => about(page, game)).toHaveLength(3);
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await expect(page.locator("path.way").first()).toBeAttached();
  const units = await about(page, game);
  await answered(page, () => page.mouse.up());
  await expect(page.locator(".ghost")).toHaveCount(0);
  const now = await view(page.request, game, FIRST);
  expect(units.map((unit) => now.units[unit]!.at)).toEqual(["0905", "0905", "0905"]);
  // Dropped where it may not go: nothing moves, and the tip says why.
  const sea = await spot(page, "0902");
  await page.mouse.move(to.x, to.y);
  await page.mouse.down();
  await page.mouse.move(sea.x, sea.y, { steps: 4 });
  await page.mouse.up();
  await expect(page.locator(".tip .why")).toBeVisible();
  expect((await view(page.request, game, FIRST)).units[units[0]!]!.at).toBe("0905");
});

test("a key selects the whole formation", async ({ page }) => {
  const game = await otherGame(page);
  const now = await view(page.request, game, FIRST);
  const [hex, names] = Object.entries(stacksIn(now)).find(([, units]) => units.filter((unit) => unit in now.question!.units! && /\/10$/.test(unit)).length > 2)!;
  const unit = names.find((name) => name in now.question!.units! && /\/10$/.test(name))!;
  await answered(page, () => clickUnit(page, unit, hex, "kasserine"));
  expect(await about(page, game)).toEqual([unit]);
  await answered(page, () => page.keyboard.press("g"));
  expect((await about(page, game)).length).toBeGreaterThan(2);
});
