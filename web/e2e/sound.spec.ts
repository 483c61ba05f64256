import { type Page } from "@playwright/test";
import { click, expect, FIRST, matchOfTwo, playUntil, SECOND, shortest, sit, test, view } from "./seats";

/** Count the sources of sound that the page starts. */
const listen = (page: Page) =>
  page.addInitScript(() => {
    const heard = ((globalThis as unknown as { heard: number[] }).heard = [] as number[]);
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...at) {
      heard.push(at[0] ?? 0);
      return start.apply(this, at);
    };
  });
const heard = (page: Page): Promise<number> => page.evaluate(() => (globalThis as unknown as { heard: number[] }).heard.length);

test("sound is off by default; switched on it is heard at the player's turn, and stays on", async ({ page }) => {
  const match = await matchOfTwo(page.request);
  await playUntil(page.request, match, ({ question }) => question!.side === SECOND);
  await listen(page);
  await sit(page, match, FIRST);

  const untilMine = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      const now = await view(page.request, match, SECOND);
      if (now.question!.side !== SECOND) return;
      await click(page.request, match, SECOND, shortest(now.question!), now.question!.number);
    }
  };
  await untilMine();
  await expect(page.locator("footer .mine")).toHaveText(FIRST);
  expect(await heard(page)).toBe(0);

  await page.getByRole("button", { name: "Game", exact: true }).click();
  await page.getByRole("menuitem", { name: "Settings…" }).click();
  const sound = page.getByLabel("Your turn, dice and combat");
  await expect(sound).not.toBeChecked();
  await sound.check();
  const before = await heard(page);
  expect(before).toBeGreaterThan(0);
  await page.keyboard.press("Escape");

  await page.reload();
  await expect(page.locator("footer .mine")).toHaveText(FIRST);
  await page.locator("header .game").click();
  await playUntil(page.request, match, ({ question }) => question!.side === SECOND);
  await expect(page.locator("footer .mine")).toHaveCount(0);
  const quiet = await heard(page);
  await untilMine();
  await expect(page.locator("footer .mine")).toHaveText(FIRST);
  await expect.poll(() => heard(page)).toBeGreaterThan(quiet);
});

test("the menu has a switch for the question before a phase ends", async ({ page }) => {
  const match = await matchOfTwo(page.request);
  // `sit` would set the switch again at every reload.
  await page.goto(`/game/${match.id}#key=${match.keys[FIRST]}`);
  await page.getByRole("button", { name: "Game", exact: true }).click();
  await page.getByRole("menuitem", { name: "Settings…" }).click();
  const asks = page.getByLabel("Ask before ending a phase while units can still act");
  await expect(asks).toBeChecked();
  await asks.uncheck();
  await page.reload();
  await page.getByRole("button", { name: "Game", exact: true }).click();
  await page.getByRole("menuitem", { name: "Settings…" }).click();
  await expect(asks).not.toBeChecked();
});
