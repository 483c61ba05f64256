import { answered, atCombat, atEverySize, atMovement, BOTH, click, expect, FIRST, mapDrawn, newGame, playUntil, sit, spot, takeOver, test, view } from "./seats";

const TARGET = "1006";

test("an own installation is given up only after a confirmation that names it", async ({ page }) => {
  const game = await atCombat(page.request);
  await click(page.request, game, FIRST, TARGET);
  await click(page.request, game, FIRST, "done");
  const { question, units } = await playUntil(page.request, game, ({ question }) => question!.kind !== "combat.target");
  expect(question!.kind).toBe("combat.supply");
  await sit(page, game, FIRST);
  const depot = Object.keys(question!.units!)[0]!;
  const counter = page.locator(`.counter[data-unit="${depot}"]`);
  await spot(page, units[depot]!.at);
  await counter.hover();
  await counter.click();
  const card = page.getByRole("alertdialog");
  await expect(card).toContainText(depot.replace("depot", "installation"));
  await page.screenshot({ path: "screens/give-up-1280x800.png" });
  await card.getByRole("button", { name: "Cancel" }).click();
  await expect(card).toHaveCount(0);
  expect((await view(page.request, game, FIRST)).question!.number).toBe(question!.number);
  await counter.click();
  await answered(page, () => card.getByRole("button").last().click());
  expect((await view(page.request, game, FIRST)).question!.number).not.toBe(question!.number);
});

test("while a combat is declared, its sheet shows what an installation would change", async ({ page }) => {
  const game = await atCombat(page.request);
  await sit(page, game, FIRST);
  const target = await spot(page, TARGET);
  await answered(page, () => page.mouse.click(target.x, target.y));
  const options = page.getByRole("list", { name: "Further options" });
  await expect(options).toContainText("Give up Axis installation");
  await expect(options).toContainText("→");
});

test("a unit next to the enemy that cannot join a combat says why", async ({ page }) => {
  const game = await atMovement(page.request);
  for (const [unit, hex] of [["DE 5/1/ABN", "1007"], ["DE 3/ARECBN", "1007"]] as const) {
    await click(page.request, game, FIRST, unit);
    await click(page.request, game, FIRST, hex);
  }
  await playUntil(page.request, game, ({ phase }) => phase === "axis combat");
  await click(page.request, game, FIRST, TARGET);
  await click(page.request, game, FIRST, "DE 3/ARECBN");
  await click(page.request, game, FIRST, "done");
  await click(page.request, game, FIRST, "1107");
  await sit(page, game, FIRST);
  const sheet = page.getByRole("region", { name: /This combat/ });
  await expect(sheet).toContainText("Cannot join");
  await expect(sheet.locator(".excluded li")).toContainText("I Battalion of 5th German Panzer Regiment");
});

test("after a zoom the ground is drawn again, sharp", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  await mapDrawn(page);
  for (const key of ["+", "+", "-", "-", "-"]) {
    await page.keyboard.press(key);
    // First the map moves, then it is drawn at the new zoom.
    await page.waitForFunction(() => !document.querySelector(".stage.moving"));
    await page.locator(".ground[data-drawn]").waitFor({ state: "attached" });
    const coarse = await page.evaluate(() => {
      const zoom = new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform).a * devicePixelRatio;
      return [...document.querySelectorAll<HTMLCanvasElement>(".ground canvas")].filter((one) => one.width < one.offsetWidth * zoom * 0.98 && one.offsetWidth < 2000).length;
    });
    expect(coarse, `squares drawn too small after ${key}`).toBe(0);
  }
});

for (const [game, scenario] of [["paa", "campaign"], ["kasserine", "campaign"], ["afrika", "gazala"]] as const) {
  test(`the first view of ${game} shows both sides`, async ({ page }) => {
    const match = await newGame(page.request, BOTH, { game, scenario });
    const { question } = await playUntil(page.request, match, ({ phase }) => /movement/i.test(phase));
    await sit(page, match, question!.side);
    const { counters } = (await (await page.request.get(`/api/games/${game}`)).json()) as { counters: { name: string; side: string }[] };
    const side = new Map(counters.map((one) => [one.name, one.side]));
    const seen = await page.evaluate(() => {
      const frame = document.querySelector(".viewport")!.getBoundingClientRect();
      return [...document.querySelectorAll<HTMLElement>(".counter[data-unit]")].filter((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left > frame.left && right < frame.right && top > frame.top && bottom < frame.bottom;
      }).map((one) => one.dataset["unit"]!);
    });
    expect(new Set(seen.map((name) => side.get(name))).size).toBe(2);
    await mapDrawn(page);
    await page.screenshot({ path: `screens/first-view-${game}-1280x800.png` });
  });
}

test("a fan at the edge of the map stays within it", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  await mapDrawn(page);
  const frame = (await page.locator(".viewport").boundingBox())!;
  for (const corner of [{ x: frame.x + 40, y: frame.y + 60 }, { x: frame.x + frame.width - 40, y: frame.y + frame.height - 60 }]) {
    const from = await spot(page, "0702");
    // Drag the ground, not the counter: from a vacant place beside the stack.
    const grip = { x: from.x + 150, y: from.y + 150 };
    await page.mouse.move(grip.x, grip.y);
    await page.mouse.down();
    await page.mouse.move(grip.x + corner.x - from.x, grip.y + corner.y - from.y, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => !document.querySelector(".stage.moving"));
    const at = await page.evaluate(() => {
      const box = document.querySelector<HTMLElement>('.counter[data-at="0702"]:not(.buried)')!.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    await page.mouse.move(at.x + 3, at.y + 3);
    await page.mouse.move(at.x, at.y);
    await expect(page.locator('.counter.fanned[data-at="0702"]').first()).toBeVisible();
    const out = await page.evaluate(() => {
      const view = document.querySelector(".viewport")!.getBoundingClientRect();
      return [...document.querySelectorAll(".counter.fanned")].filter((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left < view.left - 1 || right > view.right + 1 || top < view.top - 1 || bottom > view.bottom + 1;
      }).length;
    });
    expect(out).toBe(0);
    await page.mouse.move(frame.x + frame.width / 2, frame.y + 8);
    await expect(page.locator(".counter.fanned")).toHaveCount(0);
  }
});

test("with the panel folded a combat sheet is beside the map, at every size", async ({ page }) => {
  const game = await atCombat(page.request);
  await click(page.request, game, FIRST, TARGET);
  await sit(page, game, FIRST);
  await atEverySize(page, async (size) => {
    const fold = page.getByRole("button", { name: /^(Right panel|Panel)$/ });
    if ((await fold.getAttribute("aria-expanded")) === "true") await fold.click();
    const sheet = (await page.getByRole("region", { name: /This combat/ }).boundingBox())!;
    const map = (await page.locator(".viewport").boundingBox())!;
    expect(sheet.x, size).toBeGreaterThanOrEqual(map.x + map.width - 1);
    await page.screenshot({ path: `screens/folded-combat-${size}.png` });
  });
});

test("reinforcements that have one place each are placed by one click", async ({ page }) => {
  const match = await newGame(page.request, BOTH, { game: "kasserine", scenario: "faid" });
  const { question } = await playUntil(page.request, match, ({ question }) => question!.kind === "reinforcement.unit");
  const arriving = Object.keys(question!.units!);
  expect(arriving.length).toBeGreaterThan(5);
  await sit(page, match, question!.side);
  await takeOver(page, question!.side);
  await expect(page.locator("footer .main")).toHaveCount(0);
  await page.getByRole("button", { name: "Place all by default" }).click();
  await expect.poll(async () => (await view(page.request, match, question!.side)).question?.kind).not.toBe("reinforcement.unit");
  const { units } = await view(page.request, match, question!.side);
  // The stacking limit keeps some back.
  expect(arriving.filter((unit) => units[unit]!.at === question!.units![unit]).length).toBeGreaterThan(5);
});
