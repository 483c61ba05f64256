/** Shared by the specs: matches set up over HTTP, people with browsers of their own, and where a hex is on the screen. */

import { createHash, randomBytes } from "node:crypto";
import { expect, test as base, type APIRequestContext, type BrowserContext, type Page } from "@playwright/test";

export { expect };

/** A test in which `person` opens a page with cookies and keys of its own. All of them are closed when the test ends. */
export const test = base.extend<{ person: () => Promise<Page> }>({
  person: async ({ browser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext();
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
});

export interface Game {
  id: string;
  keys: Record<string, string>;
}

export interface Question {
  side: string;
  number: number;
  prompt?: string;
  units?: Record<string, unknown>;
  hexes?: Record<string, unknown>;
  boxes?: Record<string, unknown>;
  reach?: { at: string[]; cost: number[] };
  buttons?: { click: string; caption: string }[];
  kind?: string;
  about?: string[];
  can_act?: string[];
  blocked?: { click: string; caption: string; reason: string }[];
}

export interface View {
  game: string;
  phase: string;
  turn: { number: number };
  clicks: number;
  question: Question | null;
  units: Record<string, { at: string; back: string }>;
}

export const GAME = "paa";
export const [FIRST, SECOND] = ["Axis", "Allied"] as const;
/** One person at both seats. */
export const BOTH = { [FIRST]: "me", [SECOND]: "me" };

/** The size of a window: the smallest that is played on, a laptop's, a large one. */
export const SIZES = [[1024, 700], [1280, 800], [1920, 1080]] as const;

/** Check something at every size of the window, on one page: loading a page costs more than resizing it. */
export async function atEverySize(page: Page, check: (size: string) => Promise<void>): Promise<void> {
  for (const [width, height] of SIZES) {
    await base.step(`${width}x${height}`, async () => {
      await page.setViewportSize({ width, height });
      await check(`${width}x${height}`);
    });
  }
}

/** By how many pixels the page is wider than its window. */
export const tooWide = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** A match for one person, whose dice are chosen. */
export async function newGame(
  request: APIRequestContext, seats: Record<string, string>, { game = GAME, scenario = "campaign", seed = 7 } = {},
): Promise<Game> {
  return made<Game>(await request.post("/api/matches", { data: { game, scenario, seats, seed } }));
}

const number = () => randomBytes(32);
const hash = (value: Buffer) => createHash("sha256").update(value).digest("hex");

async function made<Answer>(answer: { status(): number; text(): Promise<string> }, what = ""): Promise<Answer> {
  const text = await answer.text();
  if (answer.status() >= 300) throw new Error(`${what} ${answer.status()}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** A match of two people who have both joined. The first is at FIRST. `path` and `more` make it, for instance from a moment of another. */
export async function matchOfTwo(
  request: APIRequestContext, { path = "/api/matches", key = "", more = { game: GAME, scenario: "campaign" } as Record<string, unknown> } = {},
): Promise<Game> {
  const [one, two] = [number(), number()];
  const asked = { data: { seats: { [FIRST]: "me", [SECOND]: "friend" }, contribution: hash(one), ...more }, headers: { "X-Khamsin-Key": key } };
  const { id, keys, invitations } = await made<Game & { invitations: Record<string, string> }>(await request.post(path, asked));
  const friend = await made<{ key: string }>(await request.post(`/api/matches/${id}/seats`, { data: { token: invitations[SECOND], contribution: hash(two) } }));
  for (const [value, own] of [[one, keys[FIRST]!], [two, friend.key]] as const) {
    await made(await request.post(`/api/matches/${id}/contribution`, { data: { value: value.toString("hex") }, headers: { "X-Khamsin-Key": own } }));
  }
  return { id, keys: { ...keys, [SECOND]: friend.key } };
}

export async function view(request: APIRequestContext, game: Game, side: string): Promise<View> {
  const answer = await request.get(`/api/matches/${game.id}?side=${side}&log_from=100000`, { headers: { "X-Khamsin-Key": game.keys[side]! } });
  return (await answer.json()) as View;
}

/** Click for a side, at the present decision or the one whose number is given. Returns what the side sees then. */
export async function click(request: APIRequestContext, game: Game, side: string, name: string, number?: number): Promise<View> {
  number ??= (await view(request, game, side)).question!.number;
  const answer = await request.post(`/api/matches/${game.id}/clicks`, { headers: { "X-Khamsin-Key": game.keys[side]! }, data: { number, click: name, side } });
  return made<View>(answer, name);
}

/** Decide as briefly as possible, for both sides, until a condition holds. Returns what the deciding side sees then. */
export async function playUntil(request: APIRequestContext, game: Game, stop: (view: View) => boolean): Promise<View> {
  const sides = Object.keys(game.keys);
  let [side, now] = [sides[0]!, await view(request, game, sides[0]!)];
  for (let i = 0; i < 500; i++) {
    const next = now.question!.side;
    if (next !== side) {
      if (sides.includes(next)) side = next;
      now = await view(request, game, side);
      if (now.question!.side !== side) continue;
    }
    if (stop(now)) return now;
    now = await click(request, game, side, shortest(now.question!), now.question!.number);
  }
  throw new Error("the condition never held");
}

/** A match at the first movement phase of the first side, one person at both seats. */
export async function atMovement(request: APIRequestContext): Promise<Game> {
  const game = await newGame(request, BOTH);
  await playUntil(request, game, ({ phase }) => phase === "axis movement");
  return game;
}

/** A unit in a location that the present decision can take. */
export async function unitIn(request: APIRequestContext, game: Game, at: string, side: string = FIRST): Promise<string> {
  const { question, units } = await view(request, game, side);
  return Object.keys(question!.units!).find((unit) => units[unit]!.at === at)!;
}

/** The answer that ends a question soonest. */
export function shortest({ buttons = [], hexes = {}, units = {}, boxes = {} }: Question): string {
  const names = buttons.map((button) => button.click);
  const ends = ["done", "default", "no"].find((name) => names.includes(name));
  return (ends ?? names[0] ?? Object.keys(hexes)[0] ?? Object.keys(units)[0] ?? Object.keys(boxes)[0])!;
}

/** Open a match with a key. All errors of the page are collected. The end of a phase is not asked about unless `confirmEnd`. */
export async function sit(page: Page, game: Game, side: string, { confirmEnd = false } = {}): Promise<string[]> {
  const complaints: string[] = [];
  await page.addInitScript((on) => localStorage.setItem("khamsin.confirm-end", String(on)), confirmEnd);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`/game/${game.id}#key=${game.keys[side]}`);
  await expect(page.locator(".counter:not(.buried)").first()).toBeVisible();
  return complaints;
}

/** Wait until the ground is drawn, so that a screenshot shows it. */
export async function mapDrawn(page: Page): Promise<void> {
  await page.locator(".ground[data-drawn]").waitFor({ state: "attached" });
}

/** Take the table over where it is to be handed over. */
export async function takeOver(page: Page, side: string): Promise<void> {
  await page.getByRole("button", { name: `I am ${side}: show the match` }).click();
  await expect(page.locator(".curtain")).toHaveCount(0);
}

let boards: Record<string, Map<string, { x: number; y: number }>> = {};

/** Where the middle of a hex is on the screen. The map is brought there first. */
export async function spot(page: Page, number: string, game = GAME): Promise<{ x: number; y: number }> {
  boards[game] ??= new Map(
    ((await (await page.request.get(`/api/boards/${game}`)).json()) as { hexes: { number: string; x: number; y: number }[] }).hexes.map((hex) => [hex.number, hex]),
  );
  const hex = boards[game].get(number)!;
  const where = () =>
    page.evaluate(({ x, y }) => {
      const m = new DOMMatrix(getComputedStyle(document.querySelector(".stage")!).transform);
      const frame = document.querySelector(".viewport")!.getBoundingClientRect();
      const at = { x: frame.left + m.e + x * m.a, y: frame.top + m.f + y * m.a };
      return { ...at, inside: at.x > frame.left + 60 && at.x < frame.right - 60 && at.y > frame.top + 60 && at.y < frame.bottom - 60 };
    }, hex);
  if (!(await where()).inside) {
    await page.keyboard.press("/");
    await page.keyboard.type(number);
    await page.keyboard.press("Enter");
  }
  let last = await where();
  await expect.poll(async () => { const now = await where(); const still = now.x === last.x && now.y === last.y; last = now; return still; }).toBe(true);
  return { x: last.x, y: last.y };
}

/** Select one unit by mouse, in a stack out of its fan; with Shift it is that unit alone. */
export async function clickUnit(page: Page, name: string, at: string, game = GAME): Promise<void> {
  const counter = page.locator(`.counter[data-unit="${name}"]`);
  await spot(page, at, game); // counters far from the window are not in the page
  const stacked = (await page.locator(`.counter[data-at="${at}"]`).count()) > 1;
  // A hand moves until the stack opens; the map may still have been on its way.
  await expect(async () => {
    const { x, y } = await spot(page, at, game);
    await page.mouse.move(x + 4, y + 4);
    await page.mouse.move(x + 1, y + 1);
    if (stacked) await expect(counter).toHaveClass(/fanned/, { timeout: 1500 });
  }).toPass();
  await counter.click(stacked ? { modifiers: ["Shift"] } : {});
}

/** Wait until a further question is on the table, for whomever. */
export async function answered(page: Page, act: () => Promise<unknown>): Promise<void> {
  const foot = page.locator("footer");
  const before = await foot.getAttribute("data-version");
  await act();
  await expect(foot).not.toHaveAttribute("data-version", before ?? "");
}

/** The stacks of a view by location: two units or more. */
export function stacksIn({ units }: View): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [name, { at }] of Object.entries(units)) (found[at] ??= []).push(name);
  return Object.fromEntries(Object.entries(found).filter(([, names]) => names.length > 1));
}

/** The unit whose counter is at a point of the screen, or null. */
export const unitAt = (page: Page, { x, y }: { x: number; y: number }): Promise<string | null> =>
  page.evaluate(([left, top]) => document.elementFromPoint(left!, top!)?.closest<HTMLElement>("[data-unit]")?.dataset["unit"] ?? null, [x, y]);

/** Point at a place on the screen without stopping on the way. */
export async function pointAt(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  await page.mouse.move(x + 3, y + 3);
  await page.mouse.move(x, y);
}

/** A match at the first declaration of combats, with units next to an enemy in 1006. */
export async function atCombat(request: APIRequestContext): Promise<Game> {
  const game = await atMovement(request);
  for (const [unit, hex] of [["DE 5/1/ABN", "0906"], ["DE 5/2/ABN", "0906"], ["DE 3/ARECBN", "1005"]] as const) {
    await click(request, game, FIRST, unit);
    await click(request, game, FIRST, hex);
  }
  await playUntil(request, game, ({ phase }) => phase === "axis combat");
  return game;
}
