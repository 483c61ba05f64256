/** A second game on the same client: one with hidden pieces, half points, and questions to the side whose turn it is not. */

import type { Page } from "@playwright/test";
import {
  answered, atEverySize, BOTH, click, clickUnit, expect, FIRST, mapDrawn, matchOfTwo, newGame, playUntil, SECOND, sit, spot, takeOver, test, tooWide, view,
  type Game,
} from "./seats";

const OTHER = { game: "kasserine", scenario: "faid" };
const foot = (page: Page) => page.locator("footer");
const press = (page: Page, caption: string) => answered(page, () => foot(page).getByRole("button", { name: caption, exact: true }).click());

/** Attacks on every neighbour, up to the roll for the last of them. */
const TO_THE_LAST_ROLL = [
  "done", "done", "9+10/104/21", "6227", "done", "6127", "assault", "6322", "assault", "6324", "assault", "6326",
  "assault", "done", "done", "6127", "attack", "6322", "done", "attack", "done", "6324", "done", "attack", "done", "done",
];

async function atLastRoll(page: Page): Promise<Game> {
  const game = await newGame(page.request, BOTH, { ...OTHER, seed: 9 });
  for (const [i, name] of TO_THE_LAST_ROLL.entries()) await click(page.request, game, i === 0 ? SECOND : FIRST, name, i);
  return game;
}

test("set-up and first movement by mouse, the table handed over behind a curtain", async ({ page }) => {
  const game = await newGame(page.request, BOTH, OTHER);
  await page.goto(`/game/${game.id}#key=${game.keys[FIRST]}`);
  await expect(page.getByRole("dialog", { name: `${SECOND} to play` })).toBeVisible();
  await takeOver(page, SECOND);
  await press(page, "End set-up");
  await takeOver(page, FIRST);
  await press(page, "End set-up");
  await expect(foot(page)).toContainText("Move a unit");
  const { units } = await view(page.request, game, FIRST);
  const at = units["3+4/104/21"]!.at;
  await answered(page, () => clickUnit(page, "3+4/104/21", at, OTHER.game));
  const target = await spot(page, "6124", OTHER.game);
  await page.mouse.move(target.x, target.y);
  await expect(page.locator(".tip .cost")).toContainText(/MP · \d*½? left/);
  await expect(page.locator(".tip .cost")).toContainText("can be undone");
  await answered(page, () => page.mouse.click(target.x, target.y));
  await expect(page.locator(`.counter[data-unit="3+4/104/21"]`)).toHaveAttribute("data-at", "6124");
});

test("the side whose turn it is not decides on a retreat, by mouse, in a browser of its own", async ({ person }) => {
  const [one, two] = [await person(), await person()];
  // Chosen dice are for one person alone, so the two begin after the roll.
  const before = await atLastRoll(one);
  await sit(one, before, FIRST);
  await press(one, "Roll the attack");
  const { clicks } = await view(one.request, before, FIRST);
  const game = await matchOfTwo(one.request, { path: `/api/matches/${before.id}/branch`, key: before.keys[FIRST]!, more: { click: clicks } });
  await sit(one, game, FIRST);
  await sit(two, game, SECOND);
  await expect(one.locator("footer")).toContainText(`${SECOND} decides`);
  await expect(foot(two)).toContainText("Retreat I Battalion of 1st Algerian Tirailleurs");
  const target = await spot(two, "6126", OTHER.game);
  await answered(two, () => two.mouse.click(target.x, target.y));
  await expect(one.locator(`.counter[data-unit="I/1 RTA"]`)).toHaveAttribute("data-at", "6126");
});

test("a match against the computer is opened, marked, and looked at from both sides", async ({ page }) => {
  const game = await newGame(page.request, { [FIRST]: "scripted", [SECOND]: "me" }, OTHER);
  await sit(page, game, SECOND);
  const menu = page.getByRole("button", { name: "Game", exact: true });
  await menu.click();
  await expect(page.getByRole("menuitem", { name: `View as ${FIRST}` })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "Open the match…" }).click();
  await page.getByRole("button", { name: "Open match" }).click();
  await expect(page.locator("header .marked", { hasText: "opened" })).toBeVisible();
  await menu.click();
  await page.screenshot({ path: "screens/opened-1280x800.png" });
  await page.getByRole("menuitem", { name: `View as ${FIRST}` }).click();
  await menu.click();
  await page.getByRole("menuitem", { name: `Play ${SECOND}` }).click();
  await expect(foot(page).locator(".mine")).toHaveText(SECOND);
});

test("a piece that lies face down is nowhere named to the other side", async ({ page }) => {
  const game = await matchOfTwo(page.request, { more: OTHER });
  const frames: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  await sit(page, game, SECOND);
  await press(page, "End set-up");
  await playUntil(page.request, game, ({ phase }) => phase === "axis set-up");
  // The last of the markers: what the other side is told lies there is the first.
  const marker = "2/155/21 fire";
  await click(page.request, game, FIRST, marker);
  const hexes = Object.keys((await view(page.request, game, FIRST)).question!.hexes!);
  const hex = hexes[0]!;
  await click(page.request, game, FIRST, hex);
  expect((await view(page.request, game, FIRST)).units[marker]!.at).toBe(hex);

  const back = page.locator(`.counter[data-at="${hex}"] .back`);
  await expect(back.locator("[data-print]")).toHaveAttribute("data-print", "Axis Fire Support");
  const { x, y } = await spot(page, hex, OTHER.game);
  await page.mouse.move(x, y);
  const piece = page.locator(`.counter[data-at="${hex}"]`, { has: page.locator(".back") });
  if ((await page.locator(`.counter[data-at="${hex}"]`).count()) > 1) await expect(piece).toHaveClass(/fanned/);
  await piece.click();
  await expect(page.getByText("face down", { exact: true })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("axis fire support");
  await expect(page.getByRole("option").first()).toContainText("Axis Fire Support");

  const shown = await page.evaluate(() =>
    [document.body.innerText, ...[...document.querySelectorAll("[aria-label], [title], [data-print]")].flatMap((one) => ["aria-label", "title", "data-print"].map((name) => one.getAttribute(name)))].join("\n"),
  );
  expect(shown).not.toMatch(/155\/21 fire/);
  expect(frames.length).toBeGreaterThan(1);
  for (const frame of frames) {
    const { view: whole, units = whole?.units ?? {}, log = whole?.log ?? [] } = JSON.parse(frame) as {
      view?: { units: Units; log: { text: string }[] }; units?: Units; log?: { text: string }[];
    };
    expect(units[marker]?.at).not.toBe(hex);
    expect(log.map(({ text }) => text).join()).not.toContain(marker);
  }
});

type Units = Record<string, { at: string } | null>;

test("a combat with half points and hidden pieces fits the window at every size", async ({ page }) => {
  await sit(page, await atLastRoll(page), FIRST);
  await expect(foot(page)).toContainText("Attack on 6326");
  await atEverySize(page, async (size) => {
    await expect(page.getByRole("region", { name: /^Combat/ }).first()).toContainText("6326");
    expect(await tooWide(page)).toBe(0);
    await mapDrawn(page);
    await page.screenshot({ path: `screens/combat-kasserine-${size}.png` });
  });
});
