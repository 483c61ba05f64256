import type { APIRequestContext, Page } from "@playwright/test";
import { barriers } from "./barriers";
import { click, expect, FIRST, type Game, matchOfTwo, SECOND, sit, test, view } from "./seats";

/** Three Axis attacks in one combat phase, each of which the Allies may answer by a counter-attack. */
const UNITS = {
  "0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"],
  "0912": ["DE 104/IREGT"], "1012": ["AU 20/IBDE"],
  "0918": ["DE 8/1/ABN", "DE 8/2/ABN"], "1018": ["AU 24/IBDE"],
};
const TARGETS = ["1006", "1012", "1018"] as const;
const SET = "No counter-attack";
const PROMPT = /Counter-attack with differential/;

/** The position as a record, in a match of two people at the resolution of the combats. */
async function underAttack(request: APIRequestContext): Promise<Game> {
  const start = [
    "khamsin = 1", 'game = "paa"', 'scenario = "campaign"', "turn = 3", 'phase = "axis combat"', "[units]",
    ...Object.entries(UNITS).map(([hex, names]) => `"${hex}" = ${JSON.stringify(names)}`), "[control]", 'axis = ["0702"]', 'allied = ["1351", "1730", "1925"]',
  ].join("\n");
  const header = { khamsin: 1, game: "paa", scenario: "campaign", options: {}, data: "", engine: "", dice: "", players: {}, start };
  const record = `${JSON.stringify(header)}\n${JSON.stringify({ saved: { turn: 3, phase: "axis combat" } })}\n`;
  const game = await matchOfTwo(request, { path: "/api/matches/import", more: { record } });
  for (const name of [...TARGETS.flatMap((hex) => [hex, "done"]), "done"]) await click(request, game, FIRST, name);
  expect((await view(request, game, FIRST)).question!.kind).toBe("combat.order");
  return game;
}

/** The Axis resolves a combat up to the Allied decision or beyond. Returns whose decision it is then. */
async function attack(request: APIRequestContext, game: Game, hex: string): Promise<string> {
  while ((await view(request, game, FIRST)).question!.kind === "combat.advance") await click(request, game, FIRST, "done");
  return (await click(request, game, FIRST, hex)).question!.side;
}

const panel = async (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();
const applied = (page: Page) => page.getByRole("log", { name: "Log" }).getByText(`Standing order: ${SET}`);

test("a standing order decides in the enemy's turn until it is cancelled; then the player is asked again", async ({ page }) => {
  const game = await underAttack(page.request);
  const complaints = await sit(page, game, SECOND);
  await panel(page, "Orders");
  await expect(page.getByText("No standing orders yet")).toBeVisible();
  const form = page.getByRole("form", { name: "New standing order" });
  await form.getByLabel("Decision").selectOption("Counter-attack");
  await form.getByRole("combobox", { name: /^Order/ }).selectOption(SET);
  await page.screenshot({ path: "screens/orders-paa-1280x800.png" });
  await form.getByRole("button", { name: "Set order" }).click();
  const listed = page.getByRole("list", { name: "Standing orders" });
  await expect(listed).toContainText(SET);

  expect(await attack(page.request, game, TARGETS[0])).toBe(FIRST);
  await panel(page, "Log");
  await expect(applied(page)).toHaveCount(1);
  await expect(page.getByText(PROMPT)).toHaveCount(0);
  const opponent = await page.request.get(`/api/matches/${game.id}?side=${FIRST}`, { headers: { "X-Khamsin-Key": game.keys[FIRST]! } });
  expect(await opponent.text()).not.toContain("Standing order");

  await panel(page, "Orders");
  await listed.getByRole("button", { name: /^Cancel Counter-attack/ }).click();
  await expect(page.getByText("No standing orders yet")).toBeVisible();
  expect(await attack(page.request, game, TARGETS[1])).toBe(SECOND);
  await expect(page.locator("footer").getByText(PROMPT)).toBeVisible();
  expect(complaints).toEqual([]);
});

test("a decision is answered always from its own menu, by mouse and by key", async ({ page }) => {
  const game = await underAttack(page.request);
  await sit(page, game, SECOND);
  expect(await attack(page.request, game, TARGETS[0])).toBe(SECOND);
  const always = page.getByRole("button", { name: "Always…" });
  await always.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("list", { name: "Standing orders for this decision" });
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await always.click();
  await page.screenshot({ path: "screens/always-paa-1280x800.png" });
  await menu.getByRole("button", { name: SET }).click();
  await expect(page.locator("footer").getByText(PROMPT)).toHaveCount(0);
  expect(await attack(page.request, game, TARGETS[1])).toBe(FIRST);
  await panel(page, "Log");
  await expect(applied(page)).toHaveCount(2);
  await panel(page, "Orders");
  await expect(page.getByRole("list", { name: "Standing orders" })).toContainText(SET);
  expect(await barriers(page, "#tab-body")).toEqual([]);
});

test("a place that is not on the map is refused, and spectators have no orders", async ({ page, person }) => {
  const game = await underAttack(page.request);
  await sit(page, game, SECOND);
  await panel(page, "Orders");
  const form = page.getByRole("form", { name: "New standing order" });
  await form.getByLabel("Only at").fill("Atlantis");
  await form.getByRole("button", { name: "Set order" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Atlantis" })).toBeVisible();
  await form.getByLabel("Only at").fill("Tobruk");
  await form.getByRole("button", { name: "Set order" }).click();
  await expect(page.getByRole("list", { name: "Standing orders" })).toContainText("only at Tobruk");

  const spectator = await person();
  await spectator.goto(`/game/${game.id}`);
  await expect(spectator.getByRole("tab", { name: "Log" })).toBeVisible();
  await expect(spectator.getByRole("tab", { name: "Orders" })).toHaveCount(0);
});
