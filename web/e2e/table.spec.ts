import type { Page } from "@playwright/test";
import {
  answered, atCombat, atEverySize, atMovement, BOTH, click, clickUnit, expect, FIRST, mapDrawn, matchOfTwo, newGame, SECOND, shortest, sit, spot, test,
  tooWide, unitIn, view, type Game, type Question,
} from "./seats";

const foot = (page: Page) => page.locator("footer");
const me = (side: string) => ({ [FIRST]: side === FIRST ? "me" : "passive", [SECOND]: side === SECOND ? "me" : "passive" });

/** A page at the first movement phase of the first side. */
async function moving(page: Page): Promise<{ game: Game; complaints: string[] }> {
  const game = await atMovement(page.request);
  return { game, complaints: await sit(page, game, FIRST) };
}

test("the page keeps its own policy and complains of nothing", async ({ page }) => {
  const { complaints } = await moving(page);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await expect(page.getByRole("toolbar", { name: "Map tools" }).getByRole("button", { name: "Layers" })).toContainText("1");
  expect(complaints).toEqual([]);
});

test("a unit is moved by mouse, with its way shown, and the move is taken back", async ({ page }) => {
  const { game } = await moving(page);
  const name = await unitIn(page.request, game, "0702");
  await answered(page, () => clickUnit(page, name, "0702"));
  const target = await spot(page, "0905");
  await page.mouse.move(target.x, target.y);
  await expect(page.locator(".way").first()).toBeAttached();
  await expect(page.locator(".tip .cost")).toContainText("left");
  await answered(page, () => page.mouse.click(target.x, target.y));
  await expect(page.locator(`.counter[data-unit="${name}"]`)).toHaveAttribute("data-at", "0905");
  await answered(page, () => foot(page).getByRole("button", { name: /^Undo/ }).first().click());
  await expect(page.locator(`.counter[data-unit="${name}"]`)).toHaveAttribute("data-at", "0702");
});

test("a closed hex says why, with its rule, and the rule opens", async ({ page }) => {
  const { game } = await moving(page);
  const name = await unitIn(page.request, game, "0702");
  await answered(page, () => clickUnit(page, name, "0702"));
  const sea = await spot(page, "1003");
  await page.mouse.move(sea.x, sea.y);
  const why = page.locator(".tip .why");
  await expect(why).toContainText("1003");
  // A card of hovering lets clicks through to the map; a click keeps it.
  await page.mouse.click(sea.x, sea.y);
  await expect(why).toHaveClass(/kept/);
  await why.locator(".rule").first().click();
  await expect(page.getByRole("complementary", { name: "Rulebook" })).toBeVisible();
});

/** Play until the second turn; `move` makes one move in the first movement phase, `answer` gives every other answer. */
async function wholeTurn(page: Page, move: (game: Game) => Promise<void>, answer: (question: Question, name: string) => Promise<void>): Promise<void> {
  const game = await newGame(page.request, me(SECOND));
  await sit(page, game, SECOND);
  let moved = false;
  await expect(async () => {
    for (;;) {
      const now = await view(page.request, game, SECOND);
      if (now.turn.number > 1) return;
      await page.keyboard.press("s");
      expect(now.question?.side).toBe(SECOND);
      await expect(foot(page)).toHaveAttribute("data-number", String(now.question!.number), { timeout: 2000 });
      if (now.phase === "allied movement" && !moved) {
        moved = true;
        await move(game);
      } else await answered(page, () => answer(now.question!, shortest(now.question!)));
    }
  }).toPass({ timeout: 100_000 });
  expect(moved).toBe(true);
}

/** A unit alone in its hex, and a hex it can go to, nearest first. */
async function someMove(page: Page, game: Game): Promise<{ unit: string; at: string }> {
  const { question, units } = await view(page.request, game, SECOND);
  const alone = (name: string) => Object.values(units).filter(({ at }) => at === units[name]!.at).length === 1;
  const unit = Object.keys(question!.units!).find((name) => /^\d{4}$/.test(units[name]!.at) && alone(name))!;
  return { unit, at: units[unit]!.at };
}

async function nearest(page: Page, game: Game): Promise<string> {
  const { question } = await view(page.request, game, SECOND);
  const { at, cost } = question!.reach!;
  return at.slice(0, cost.length).map((hex, i) => ({ hex, cost: cost[i]! })).filter(({ hex }) => hex in question!.hexes!).sort((a, b) => a.cost - b.cost)[0]!.hex;
}

test("a whole turn is played by mouse", async ({ page }) => {
  await wholeTurn(
    page,
    async (game) => {
      const { unit, at } = await someMove(page, game);
      await answered(page, () => clickUnit(page, unit, at));
      const hex = await nearest(page, game);
      const target = await spot(page, hex);
      await answered(page, () => page.mouse.click(target.x, target.y));
      await expect(page.locator(`.counter[data-unit="${unit}"]`)).toHaveAttribute("data-at", hex);
    },
    async (question, name) => {
      const button = question.buttons?.find((one) => one.click === name);
      if (button) return foot(page).getByRole("button", { name: button.caption, exact: true }).click();
      if (!(name in (question.hexes ?? {}))) return page.locator(`.tray [data-unit="${name}"]`).click();
      const at = await spot(page, name);
      // The fan of the stack that was clicked last may lie over the hex.
      await page.mouse.move(2, 2);
      await expect(page.locator(".counter.fanned")).toHaveCount(0);
      return page.mouse.click(at.x, at.y);
    },
  );
});

test("a whole turn is played by keyboard alone", async ({ page }) => {
  await wholeTurn(
    page,
    async (game) => {
      const { unit } = await someMove(page, game);
      for (let i = 0; i < 100; i++) {
        await page.keyboard.press("Space");
        if (await page.locator(`.counter.selected[data-unit="${unit}"]`).count()) break;
      }
      await answered(page, () => page.keyboard.press("Enter"));
      for (const arrow of ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowUp"]) {
        await page.keyboard.press(arrow);
        if (await page.locator(".tip .cost").isVisible()) break;
      }
      await answered(page, () => page.keyboard.press("Enter"));
      await expect(foot(page)).toContainText("Undo");
    },
    async ({ buttons = [] }, name) => {
      const index = buttons.findIndex((one) => one.click === name);
      if (index >= 0) return page.keyboard.press(`Alt+${index + 1}`);
      await page.keyboard.press("Space");
      await page.keyboard.press("Enter");
    },
  );
});

test("a combat is foreseen in full before it is declared", async ({ page }) => {
  await sit(page, await atCombat(page.request), FIRST);
  const target = await spot(page, "1006");
  await page.mouse.move(target.x, target.y);
  const sheet = page.getByRole("region", { name: /^Combat/ });
  await expect(sheet.first()).toContainText("differential");
  await expect(sheet.first().getByRole("table", { name: "Chances" }).getByRole("row")).not.toHaveCount(0);
  await expect(sheet.first().locator(".rule").first()).toBeVisible();
});

test("a combat that is fought tells its roll on its sheet, to the last answer", async ({ page }) => {
  const game = await atCombat(page.request);
  for (const name of ["1006", "done", "done", "done"]) await click(page.request, game, FIRST, name);
  await sit(page, game, FIRST);
  const target = await spot(page, "1006");
  await answered(page, () => page.mouse.click(target.x, target.y));
  const fought = page.getByRole("region", { name: /^Resolved/ });
  await expect(fought).toContainText("attack: rolled");
  await expect(fought).toContainText("the defender must lose");
  await expect(fought).toContainText("Odds before the roll");
  await expect(page.getByRole("region", { name: "Combat Counter-attack" }).getByRole("table", { name: "Chances" }).getByRole("row")).not.toHaveCount(0);
  await mapDrawn(page);
  await page.screenshot({ path: "screens/fought-paa-1280x800.png" });
  await answered(page, () => foot(page).getByRole("button", { name: "Counter-attack", exact: true }).click());
  await expect(fought).toContainText("attack: rolled");
  await expect(fought).toContainText("counter-attack: rolled");
  await page.screenshot({ path: "screens/fought-back-paa-1280x800.png" });
});

test("a combat fits the window at every size", async ({ page }) => {
  await sit(page, await atCombat(page.request), FIRST);
  await atEverySize(page, async (size) => {
    const target = await spot(page, "1006");
    await page.mouse.move(target.x, target.y);
    await expect(page.getByRole("region", { name: /^Combat/ }).first().getByRole("heading").first()).toContainText("after this click");
    expect(await tooWide(page)).toBe(0);
    await mapDrawn(page);
    await page.screenshot({ path: `screens/combat-paa-${size}.png` });
  });
});

test("where nothing is hidden the table turns by itself to whoever is asked", async ({ page }) => {
  const game = await newGame(page.request, BOTH);
  await sit(page, game, FIRST);
  await expect(page.getByText(`${SECOND} to decide`)).toBeVisible();
  await expect(foot(page).locator(".mine")).toHaveText(SECOND);
  await expect(page.locator(".curtain")).toHaveCount(0);
});

test("two browsers play one game, each sees the other's moves", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  const game = await matchOfTwo(one.request);
  await sit(one, game, FIRST);
  await sit(two, game, SECOND);
  await expect(one.getByRole("list", { name: "Players" })).toContainText(SECOND);
  const { question } = await view(two.request, game, SECOND);
  const caption = question!.buttons!.find((button) => button.click === "done")!.caption;
  await foot(two).getByRole("button", { name: caption, exact: true }).click();
  await expect(foot(one).locator(".mine")).toHaveText(FIRST);
  await expect(foot(two)).toContainText(`${FIRST}`);
});

test("a player who comes or leaves is noticed by the other", async ({ page, person }) => {
  const game = await matchOfTwo(page.request);
  await sit(page, game, FIRST);
  const other = await person();
  await sit(other, game, SECOND);
  await expect(page.getByText(`${SECOND} is here`).first()).toBeVisible();
  await other.close();
  await expect(page.getByText(`${SECOND} has left`).first()).toBeVisible({ timeout: 15_000 });
});

test("a reload in the middle of a move goes on where it was", async ({ page }) => {
  const { game } = await moving(page);
  const name = await unitIn(page.request, game, "0702");
  await answered(page, () => clickUnit(page, name, "0702"));
  await page.reload();
  await expect(foot(page)).toContainText("choose a hex");
  await expect(page.locator(`.counter[data-unit="${name}"]`)).toHaveClass(/about/);
});

test("a reload in the middle of a combat still shows what was rolled", async ({ page }) => {
  const game = await atCombat(page.request);
  for (const name of ["1006", "done", "done", "done", "1006"]) await click(page.request, game, FIRST, name);
  await sit(page, game, SECOND);
  await expect(foot(page)).toContainText("Counter-attack");
  await expect(page.getByRole("region", { name: "Last roll" })).toContainText("ttack: rolled");
});

test("a click that comes too late is refused in place, and the table catches up", async ({ page }) => {
  const game = await atMovement(page.request);
  let deaf = false;
  await page.routeWebSocket(/\/live$/, (ws) => {
    const server = ws.connectToServer();
    server.onMessage((message) => {
      if (!(deaf && String(message).startsWith('{"type":"update"'))) ws.send(message);
    });
  });
  await sit(page, game, FIRST);
  await expect(foot(page)).toContainText("Move a unit");
  const { question, units } = await view(page.request, game, FIRST);
  const [name, other] = Object.keys(question!.units!).filter((unit) => units[unit]!.at === "0702") as [string, string];
  deaf = true;
  await click(page.request, game, FIRST, name);
  await clickUnit(page, other, "0702");
  await expect(page.getByRole("alert")).toBeVisible();
  deaf = false;
  await expect(foot(page)).toContainText("choose a hex");
  await expect(page.locator(`.counter[data-unit="${name}"]`)).toHaveClass(/about/);
});

test("a lost line comes back by itself", async ({ page }) => {
  const game = await atMovement(page.request);
  let cut: () => Promise<void> = async () => {};
  await page.routeWebSocket(/\/live$/, (ws) => {
    ws.connectToServer();
    cut = () => ws.close({ code: 1012, reason: "the server stops" });
  });
  await sit(page, game, FIRST);
  await cut();
  await expect(page.getByRole("main").getByText("Connection lost. Reconnecting…")).toBeVisible();
  await expect(page.getByRole("main").getByText("Connection lost. Reconnecting…")).toBeHidden();
  await expect(foot(page)).toContainText("Move a unit");
});

test("finding a place brings it to the middle", async ({ page }) => {
  await moving(page);
  await page.keyboard.press("/");
  await page.keyboard.type("tobruk");
  await expect(page.getByRole("option").first()).toContainText("Tobruk");
  await page.keyboard.press("Enter");
  await expect(page.locator(".place")).toContainText("1925");
});

test("counters can be hidden and panels folded away", async ({ page }) => {
  await moving(page);
  await page.keyboard.press("h");
  await expect(page.locator(".counter").first()).toBeHidden();
  await page.keyboard.press("h");
  await page.keyboard.press("[");
  await expect(page.getByRole("button", { name: "Panel", exact: true })).toHaveAttribute("aria-expanded", "false");
});

test("the table fits its window at every size", async ({ page }) => {
  const { game } = await moving(page);
  const name = await unitIn(page.request, game, "0702");
  await answered(page, () => clickUnit(page, name, "0702"));
  await atEverySize(page, async (size) => {
    const target = await spot(page, "0805");
    await page.mouse.move(target.x, target.y);
    await expect(page.locator(".tip .cost")).toBeVisible();
    const overflow = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
    expect(overflow).toEqual([0, 0]);
    await mapDrawn(page);
    await page.screenshot({ path: `screens/table-${size}.png` });
  });
});
