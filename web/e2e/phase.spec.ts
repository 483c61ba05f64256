import type { Page } from "@playwright/test";
import { answered, atMovement, BOTH, expect, FIRST, newGame, playUntil, sit, spot, test, view, type Game } from "./seats";

const foot = (page: Page) => page.locator("footer");

async function moving(page: Page): Promise<Game> {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST, { confirmEnd: true });
  return game;
}

test("ending a phase says how many units can still act, shows them, and can be undone", async ({ page }) => {
  const game = await moving(page);
  const { question, phase } = await view(page.request, game, FIRST);
  const end = foot(page).getByRole("button", { name: "End movement", exact: true });
  await expect(end).toContainText(`${question!.can_act!.length} left`);
  await end.click();
  const card = page.getByRole("alertdialog");
  await expect(card).toContainText(`${question!.can_act!.length} units can still act`);
  await page.screenshot({ path: "screens/end-of-phase-1280x800.png" });
  await card.getByRole("button", { name: "Show them" }).click();
  await expect(card).toHaveCount(0);
  await expect(page.locator(".counter.shown:not(.buried)").first()).toBeVisible();
  expect((await view(page.request, game, FIRST)).phase).toBe(phase);
  await end.click();
  await page.keyboard.press("Escape");
  await expect(card).toHaveCount(0);
  await end.click();
  await answered(page, () => card.getByRole("button", { name: "End movement" }).click());
  expect((await view(page.request, game, FIRST)).phase).not.toBe(phase);
  await answered(page, () => foot(page).getByRole("button", { name: /^Undo/ }).first().click());
  expect((await view(page.request, game, FIRST)).phase).toBe(phase);
});

test("without the setting a phase ends at once", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  await answered(page, () => foot(page).getByRole("button", { name: "End movement", exact: true }).click());
  expect((await view(page.request, game, FIRST)).phase).not.toBe("axis movement");
});

test("a blocked button is visible and says why", async ({ page }) => {
  const game = await moving(page);
  const at = await spot(page, "0702");
  await answered(page, () => page.mouse.click(at.x, at.y));
  const { question } = await view(page.request, game, FIRST);
  const { caption, reason } = question!.blocked![0]!;
  const button = foot(page).getByRole("button", { name: caption, exact: true });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toHaveAttribute("title", reason);
  await button.click({ force: true });
  await expect(page.getByRole("alert")).toContainText(reason);
});

test("where many buttons are blocked, a list has them with their reasons", async ({ page }) => {
  const game = await newGame(page.request, BOTH, { game: "na41", scenario: "enter-rommel" });
  const { question } = await playUntil(page.request, game, ({ phase }) => /movement/i.test(phase));
  await sit(page, game, question!.side);
  const blocked = question!.blocked!;
  const button = foot(page).getByRole("button", { name: `Blocked ${blocked.length}` });
  await expect(foot(page).getByRole("button", { name: blocked[0]!.caption, exact: true })).toHaveCount(0);
  await button.click();
  const list = foot(page).getByRole("list", { name: "Buttons that are illegal now" });
  await expect(list.getByRole("listitem")).toHaveCount(blocked.length);
  for (const { caption, reason } of blocked) await expect(list.getByRole("listitem").filter({ hasText: caption }).first()).toContainText(reason);
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
});

test("the list of moves closes like a menu", async ({ page }) => {
  const game = await moving(page);
  for (const [from, to] of [["0702", "0805"], ["0701", "0803"]] as const) {
    for (const hex of [from, to]) {
      const at = await spot(page, hex);
      await answered(page, () => page.mouse.click(at.x, at.y));
    }
  }
  const list = page.getByRole("list", { name: "Moves that can be undone" });
  const more = foot(page).getByRole("button", { name: /^Undo one of/ });
  await more.click();
  await expect(list).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
  await more.click();
  await page.mouse.click(640, 120);
  await expect(list).toHaveCount(0);
  expect((await view(page.request, game, FIRST)).phase).toBe("axis movement");
});
