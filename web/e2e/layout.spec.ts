import { type Page } from "@playwright/test";
import { answered, atEverySize, atMovement, BOTH, clickUnit, expect, FIRST, mapDrawn, newGame, playUntil, SECOND, sit, test, tooWide, unitIn, view, type Game } from "./seats";

const GAMES = [["paa", "campaign"], ["kasserine", "campaign"], ["na41", "enter-rommel"]] as const;

interface Rect { left: number; top: number; right: number; bottom: number }

const rectOf = (page: Page, selector: string): Promise<Rect | null> =>
  page.evaluate((what) => {
    const found = document.querySelector(what)?.getBoundingClientRect();
    return found && found.width && found.height ? { left: found.left, top: found.top, right: found.right, bottom: found.bottom } : null;
  }, selector);

const overlap = (a: Rect, b: Rect): boolean => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

/** The legal hexes, and the hexes of legal units, whose middle is within the map but under something else. */
async function covered(page: Page, match: Game, game: string, side: string): Promise<string[]> {
  const { question, units } = await view(page.request, match, side);
  const legal = [...Object.keys(question!.hexes ?? {}), ...Object.keys(question!.units ?? {}).map((unit) => units[unit]!.at)];
  const { hexes } = (await (await page.request.get(`/api/boards/${game}`)).json()) as { hexes: { number: string; x: number; y: number }[] };
  const wanted = hexes.filter(({ number }) => legal.includes(number));
  expect(wanted.length).toBeGreaterThan(0);
  return page.evaluate((points) => {
    const m = new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform);
    const frame = document.querySelector(".viewport")!.getBoundingClientRect();
    return points.flatMap(({ number, x, y }) => {
      const [px, py] = [frame.left + m.e + x * m.a, frame.top + m.f + y * m.a];
      if (px <= frame.left || px >= frame.right || py <= frame.top || py >= frame.bottom) return [];
      const top = document.elementFromPoint(px, py);
      return top?.closest(".viewport") ? [] : [`${number} under ${top?.className}`];
    });
  }, wanted);
}

/** A match at a movement phase, opened by the side that decides. */
async function moving(page: Page, game: string, scenario: string): Promise<{ match: Game; side: string }> {
  const match = await newGame(page.request, BOTH, { game, scenario });
  const { question } = await playUntil(page.request, match, ({ phase }) => /movement/i.test(phase));
  await sit(page, match, question!.side);
  return { match, side: question!.side };
}

for (const [game, scenario] of GAMES) {
  test(`nothing covers what can be clicked in ${game}, also after a pan`, async ({ page }) => {
    const { match, side } = await moving(page, game, scenario);
    await mapDrawn(page);
    await atEverySize(page, async (size) => {
      for (const open of [true, false]) {
        const button = page.getByRole("button", { name: /^(Right panel|Panel)$/ });
        if ((await button.getAttribute("aria-expanded")) !== String(open)) await button.click();
        const map = (await rectOf(page, ".viewport"))!;
        for (const part of [".minimap", ".rail", ".tray", ".strip", "aside.left", "aside.right"]) {
          const rect = await rectOf(page, part);
          if (rect) expect(overlap(map, rect), `${part} at ${size}`).toBe(false);
        }
        expect(await covered(page, match, game, side), size).toEqual([]);
        for (let i = 0; i < 3; i++) {
          await page.keyboard.press("Space");
          await page.waitForFunction(() => !document.querySelector(".stage.moving"));
          expect(await covered(page, match, game, side), `${size} after a pan`).toEqual([]);
        }
        if (size === "1280x800") expect(((map.right - map.left) * (map.bottom - map.top)) / (1280 * 800)).toBeGreaterThanOrEqual(2 / 3);
      }
      expect(await tooWide(page)).toBe(0);
      await page.screenshot({ path: `screens/layout-${game}-${size}.png` });
    });
  });
}

test("folded panels stay folded, and the overview opens from the tools", async ({ page }) => {
  await moving(page, "paa", "campaign");
  const panel = page.getByRole("button", { name: "Panel", exact: true });
  await expect(page.getByRole("img", { name: "Overview of the board" })).toBeVisible();
  await page.keyboard.press("]");
  await expect(panel).toHaveAttribute("aria-expanded", "false");
  await page.reload();
  await expect(panel).toHaveAttribute("aria-expanded", "false");
  await expect(page.getByRole("img", { name: "Overview of the board" })).toHaveCount(0);
  await page.getByRole("button", { name: "Map", exact: true }).click();
  await expect(page.getByRole("img", { name: "Overview of the board" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("img", { name: "Overview of the board" })).toHaveCount(0);
});

test("the overview shows a sign for each occupied hex", async ({ page }) => {
  const { match, side } = await moving(page, "paa", "campaign");
  const { units } = await view(page.request, match, side);
  const onMap = new Set(Object.values(units).map(({ at }) => at).filter((at) => /^\d{4}$/.test(at)));
  const signs = () => page.locator(".minimap .unit").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")!.split("M").length - 1));
  await expect.poll(async () => (await signs()).reduce((sum, n) => sum + n, 0)).toBe(onMap.size);
  expect((await signs()).every((n) => n > 0)).toBe(true);
});

test("the rulebook leaves the decision buttons free", async ({ page }) => {
  await moving(page, "paa", "campaign");
  await page.locator("footer .rule").first().click();
  await expect(page.getByRole("complementary", { name: "Rulebook" })).toBeVisible();
  await atEverySize(page, async (size) => {
    const drawer = (await rectOf(page, ".drawer"))!;
    const foot = (await rectOf(page, "footer"))!;
    expect(overlap(drawer, foot), size).toBe(false);
  });
});

test("the layers and the undo list close by Escape and by a click elsewhere", async ({ page }) => {
  const match = await atMovement(page.request);
  await sit(page, match, FIRST);
  const layers = page.getByRole("group", { name: "Layers" });
  await page.getByRole("button", { name: "Layers" }).click();
  await expect(layers).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(layers).toHaveCount(0);
  await page.getByRole("button", { name: "Layers" }).click();
  await page.locator("header .game").click();
  await expect(layers).toHaveCount(0);

  for (const [from, to] of [["0702", "0703"], ["0602", "0603"]] as const) {
    const unit = await unitIn(page.request, match, from).catch(() => undefined);
    if (!unit) continue;
    await answered(page, () => clickUnit(page, unit, from));
    const { question } = await view(page.request, match, FIRST);
    const goal = question!.hexes && to in question!.hexes ? to : Object.keys(question!.hexes ?? {})[0]!;
    await page.keyboard.press("/");
    await page.keyboard.type(goal);
    await page.keyboard.press("Enter");
    await answered(page, () => page.keyboard.press("Enter"));
  }
  const list = page.getByRole("list", { name: "Moves that can be undone" });
  await page.getByRole("button", { name: /^Undo one of/ }).click();
  await expect(list).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
  await page.getByRole("button", { name: /^Undo one of/ }).click();
  await page.locator("header .game").click();
  await expect(list).toHaveCount(0);
});

test("the control layer has a legend", async ({ page }) => {
  await moving(page, "paa", "campaign");
  await page.getByRole("button", { name: "Layers" }).click();
  await page.getByRole("button", { name: /^Control/ }).click();
  await page.keyboard.press("Escape");
  const key = page.getByRole("region", { name: "Key: Control" });
  await expect(key).toContainText("Allied (you)");
  await expect(key).toContainText("Axis");
  await expect(key).toContainText("Libyan frontier");
  await key.getByRole("button", { name: "Switch off Control" }).click();
  await expect(key).toHaveCount(0);
});

test("a section is there only where it has something to say", async ({ page }) => {
  for (const [game, has] of [["paa", false], ["tunisia", true]] as const) {
    const match = await newGame(page.request, BOTH, { game, scenario: game === "paa" ? "campaign" : "kasserine" });
    const { question } = await playUntil(page.request, match, ({ phase }) => phase.includes("movement"));
    await sit(page, match, question!.side);
    await expect(page.getByRole("button", { name: "Objectives" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Supply", exact: true })).toHaveCount(has ? 1 : 0);
  }
});

test("everything in the header can be reached on a phone", async ({ page }) => {
  const game = await newGame(page.request, BOTH);
  await page.setViewportSize({ width: 390, height: 844 });
  await sit(page, game, SECOND);
  const header = page.locator("header.bar");
  for (const name of ["Game", "Keys and gestures"]) await expect(header.getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  for (const seat of await header.getByRole("list", { name: "Players" }).getByRole("listitem").all()) await expect(seat).toBeInViewport({ ratio: 1 });
  await header.getByRole("combobox").fill("Tobruk");
  await expect(header.getByRole("option").first()).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Escape");
  // The panel is below the map, not over it.
  const map = page.locator(".desk .map");
  await page.getByRole("button", { name: "Panel" }).click();
  await expect(page.getByRole("tab", { name: "Log" })).toBeInViewport();
  expect((await map.boundingBox())!.width).toBeGreaterThan(340);
  expect((await map.boundingBox())!.height).toBeGreaterThan(300);
});
