import { answered, BOTH, click, expect, mapDrawn, newGame, playUntil, pointAt, sit, spot, test, view, type Game } from "./seats";

/** What keeps the map large and the hand quick: one row of buttons, cards that give way, sheets to the end of a combat. */

const ALLIED = "Allied";

/** North Africa '41, Crusader, at the first movement phase of the Allies, who play against the computer. */
async function crusader(request: Parameters<typeof newGame>[0]): Promise<Game> {
  const game = await newGame(request, { Axis: "passive", Allied: "me" }, { game: "na41", scenario: "crusader" });
  await playUntil(request, game, ({ phase }) => phase === "impulse 1 allied movement");
  return game;
}

test("many buttons stay in one row, and the others are in a menu", async ({ page }) => {
  const game = await crusader(page.request);
  await sit(page, game, ALLIED);
  const foot = page.locator("footer");
  await expect(foot.getByRole("button", { name: "End movement", exact: true })).toBeVisible();
  expect((await foot.boundingBox())!.height).toBeLessThan(60);
  const map = (await page.locator(".viewport").boundingBox())!;
  expect((map.width * map.height) / (1280 * 800)).toBeGreaterThanOrEqual(2 / 3);
  const more = foot.getByRole("button", { name: /^More \d/ });
  await more.click();
  const list = foot.getByRole("list", { name: "More actions" });
  await expect(list.getByRole("listitem")).not.toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
  await more.click();
  await answered(page, () => list.getByRole("button", { name: "Destroy Supply Point" }).click());
  expect((await view(page.request, game, ALLIED)).question!.kind).not.toBe("move.stack");
});

test("the question whether to end a phase is asked at its button", async ({ page }) => {
  const game = await crusader(page.request);
  await sit(page, game, ALLIED, { confirmEnd: true });
  const end = page.locator("footer").getByRole("button", { name: "End movement", exact: true }).first();
  await end.click();
  const [button, card] = [(await end.boundingBox())!, (await page.getByRole("alertdialog").boundingBox())!];
  expect(Math.abs(card.x + card.width - (button.x + button.width))).toBeLessThan(8);
  expect(card.y + card.height).toBeLessThanOrEqual(button.y);
});

test("a click on a hex leaves its truck behind", async ({ page }) => {
  const game = await crusader(page.request);
  await sit(page, game, ALLIED);
  const foot = page.locator("footer");
  const height = (await foot.boundingBox())!.height;
  const at = await spot(page, "2243", "na41");
  await answered(page, () => page.mouse.click(at.x, at.y));
  // The map keeps its size, so that nothing moves under the pointer and nothing is laid out again.
  expect((await foot.boundingBox())!.height).toBe(height);
  const { question, units } = await view(page.request, game, ALLIED);
  expect(Object.keys(units).filter((name) => units[name]!.at === "2243")).toContain("Allied Truck 4");
  expect(question!.about).toEqual(["5 RTR*", "8 Hus", "3 RTR"]);
});

test("the card of a place gives way to the pointer", async ({ page }) => {
  const game = await crusader(page.request);
  await sit(page, game, ALLIED);
  await mapDrawn(page);
  const card = page.locator(".place").first();
  for (const [x, y] of [[140, 110], [900, 110], [200, 160]] as const) {
    await page.mouse.move(600, 600);
    await pointAt(page, { x, y });
    await expect(card).toBeVisible();
    const box = (await card.boundingBox())!;
    expect(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height).toBe(false);
  }
});

test("pointing at the enemy while a stack is chosen covers nothing with a refusal; a click explains", async ({ page }) => {
  const game = await crusader(page.request);
  await sit(page, game, ALLIED);
  const at = await spot(page, "2641", "na41");
  await pointAt(page, at);
  await expect(page.locator(".place").first()).toContainText("3rd Reconnaissance Battalion");
  await page.waitForTimeout(400);
  await expect(page.locator(".why")).toHaveCount(0);
  await page.mouse.click(at.x, at.y);
  await expect(page.locator(".why")).toContainText("is occupied by the enemy");
});

test("a combat has its sheet while supply and support are chosen, and its result without a roll", async ({ page }) => {
  const game = await crusader(page.request);
  for (const name of ["2243", "2542", "2343", "2542", "done", "2641"]) await click(page.request, game, ALLIED, name);
  await sit(page, game, ALLIED);
  const sheet = page.getByRole("region", { name: /^Combat This combat: Gabr Saleh/ });
  await expect(sheet).toContainText("7-1");
  await answered(page, () => page.locator("footer").getByRole("button", { name: "Attack", exact: true }).click());
  await expect(page.locator("footer")).toContainText("choose a source of Attack Supply");
  await expect(sheet).toContainText("7-1");
  const options = sheet.getByRole("list", { name: "Further options" });
  const none = (await page.locator("footer").getByRole("button", { name: "No Attack Supply" }).boundingBox())!;
  await page.waitForTimeout(400);
  await expect(options, "the pointer has not moved on the new button").toContainText("without Attack Supply");
  await page.mouse.move(none.x + 20, none.y + 20);
  await expect(options).toContainText("with Attack Supply");
  const hq = await spot(page, "2144", "na41");
  await pointAt(page, hq);
  await expect(page.locator(".tip")).toContainText("becomes Depleted");
  await expect(page.locator(".tip")).toContainText("the hex beside the counter: 1 of 3 Supply Points");
  await answered(page, () => page.mouse.click(hq.x, hq.y));
  await expect(sheet.getByRole("list", { name: "Further options" })).toContainText("with artillery");
  const guns = await spot(page, "2242", "na41");
  await pointAt(page, guns);
  await answered(page, () => page.mouse.click(guns.x, guns.y));
  const resolved = page.getByRole("region", { name: /^Resolved/ });
  await expect(resolved).toContainText("no roll, DS");
});

test("badges leave the name of a counter free", async ({ page }) => {
  const game = await crusader(page.request);
  await sit(page, game, ALLIED);
  await expect(page.locator(".counter .badges").first()).toBeVisible();
  const covered = await page.locator(".counter:has(.badges)").evaluateAll((counters) =>
    counters.filter((counter) => {
      const [badges, label] = [counter.querySelector(".badges")!.getBoundingClientRect(), counter.querySelector(".label")?.getBoundingClientRect()];
      return label && badges.bottom > label.top + 2 && badges.left < label.right;
    }).map((counter) => (counter as HTMLElement).dataset["unit"]),
  );
  expect(covered).toEqual([]);
});

test("on a small window what is off the map is one row below it", async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  const game = await crusader(page.request);
  await sit(page, game, ALLIED);
  const tray = page.getByRole("group", { name: "Off the map" });
  await expect(tray.locator(".piece").first()).toBeVisible();
  expect((await tray.boundingBox())!.height).toBeLessThan(80);
  const map = (await page.locator(".viewport").boundingBox())!;
  expect((map.width * map.height) / (1024 * 700)).toBeGreaterThan(2 / 3);
});

test("a click on a box selects what can enter a hex together", async ({ page }) => {
  const game = await newGame(page.request, BOTH, { game: "kasserine", scenario: "campaign" });
  const { question: first } = await playUntil(page.request, game, ({ phase }) => phase === "axis movement");
  expect(Object.keys(first!.boxes!)).toEqual(["Axis set-up card"]);
  await sit(page, game, "Axis");
  const curtain = page.getByRole("button", { name: /show the match/ });
  if (await curtain.count()) await curtain.click();
  const tray = page.getByRole("group", { name: "Off the map" });
  if ((await tray.getByRole("button", { name: /^Off the map/ }).getAttribute("aria-expanded")) === "false") await tray.getByRole("button", { name: /^Off the map/ }).click();
  await answered(page, () => tray.getByRole("button", { name: "Axis set-up card: select all" }).click());
  const { question } = await view(page.request, game, "Axis");
  expect(question!.about!.length).toBeGreaterThan(1);
  expect(Object.keys(question!.hexes!).length).toBeGreaterThan(0);
});

test("a unit that can be chosen lies on top of its stack, whatever it is", async ({ page }) => {
  const game = await newGame(page.request, { Axis: "me", Allied: "passive" }, { game: "tunisia", scenario: "race-for-tunis", seed: 3 });
  const { question: targets } = await playUntil(page.request, game, ({ question }) => question?.kind === "air.target");
  const goal = Object.keys(targets!.hexes!)[0]!;
  await click(page.request, game, "Axis", goal);
  await sit(page, game, "Axis");
  const { question, units } = await view(page.request, game, "Axis");
  const aircraft = Object.keys(question!.units!).filter((name) => /^[AB]\d/.test(units[name]!.at));
  expect(aircraft.length).toBeGreaterThan(0);
  for (const name of aircraft.slice(0, 3)) {
    await spot(page, units[name]!.at, "tunisia");
    const top = page.locator(`.counter[data-at="${units[name]!.at}"][data-depth="0"]`);
    expect(Object.keys(question!.units!)).toContain(await top.getAttribute("data-unit"));
  }
  await answered(page, () => page.locator("footer").getByRole("button", { name: "Send the strongest" }).click());
  const chosen = (await view(page.request, game, "Axis")).question!;
  expect(chosen.about!.length).toBeGreaterThan(1);
  await expect(page.getByRole("region", { name: /^Combat Air barrage/ })).toBeVisible();
});
