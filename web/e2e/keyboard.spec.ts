import type { Page } from "@playwright/test";
import { answered, atCombat, atMovement, expect, FIRST, sit, test, view, type Game } from "./seats";

const question = async (page: Page, game: Game) => (await view(page.request, game, FIRST)).question!;

/** Bring the cursor to a hex by its number. */
async function goTo(page: Page, hex: string): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.type(hex);
  await page.keyboard.press("Enter");
  await expect(page.locator(".place")).toContainText(hex);
}

test("a stack is selected, moved and undone, and the phase ended and taken back, by keyboard", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST, { confirmEnd: true });
  await page.keyboard.press("Space");
  await answered(page, () => page.keyboard.press("Enter"));
  const about = (await question(page, game)).about!;
  expect(about.length).toBeGreaterThan(1);
  await goTo(page, "0805");
  await answered(page, () => page.keyboard.press("Enter"));
  expect((await view(page.request, game, FIRST)).units[about[0]!]!.at).toBe("0805");
  await answered(page, () => page.keyboard.press("u"));
  expect((await view(page.request, game, FIRST)).units[about[0]!]!.at).not.toBe("0805");
  await page.keyboard.press("e");
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await answered(page, () => page.keyboard.press("e"));
  expect((await view(page.request, game, FIRST)).phase).not.toBe("axis movement");
  await answered(page, () => page.keyboard.press("u"));
  expect((await view(page.request, game, FIRST)).phase).toBe("axis movement");
});

test("units of a fan are added and removed by keyboard", async ({ page }) => {
  const game = await atMovement(page.request);
  await sit(page, game, FIRST);
  await goTo(page, "0702");
  await answered(page, () => page.keyboard.press("Enter"));
  const all = (await question(page, game)).about!;
  await page.keyboard.press("f");
  for (let i = 0; i < 6 && !(await page.locator(".counter.selected.about").count()); i++) await page.keyboard.press("ArrowRight");
  await answered(page, () => page.keyboard.press("Enter"));
  expect((await question(page, game)).about).toHaveLength(all.length - 1);
  await page.keyboard.press("Escape");
  await answered(page, () => page.keyboard.press("Escape"));
  expect((await question(page, game)).about ?? []).toHaveLength(0);
});

test("an attack is declared by keyboard", async ({ page }) => {
  const game = await atCombat(page.request);
  await sit(page, game, FIRST);
  await goTo(page, "1006");
  await answered(page, () => page.keyboard.press("Enter"));
  expect((await question(page, game)).kind).toBe("combat.attackers");
  await answered(page, () => page.keyboard.press("e"));
  expect((await question(page, game)).kind).not.toBe("combat.attackers");
});

test("a key fits the battle", async ({ page }) => {
  await sit(page, await atMovement(page.request), FIRST);
  const scale = () => page.evaluate(() => new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform).a);
  const first = await scale();
  await page.keyboard.press("0");
  await expect.poll(scale).toBeLessThan(first);
  await page.keyboard.press("b");
  await expect.poll(scale).toBeCloseTo(first);
});
