/** What the flows share: games set up over HTTP, and where a hex is on the screen. */

import { createHash, randomBytes } from "node:crypto";
import { expect, type APIRequestContext, type Page } from "@playwright/test";

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
  reach?: Record<string, { cost: number }>;
  buttons?: { click: string; caption: string }[];
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

/** The size of a window: the smallest that is played on, a laptop's, a large one. */
export const SIZES = [[1024, 700], [1280, 800], [1920, 1080]] as const;

/** A match for one person, whose dice are chosen. */
export async function newGame(
  request: APIRequestContext, seats: Record<string, string>, { game = GAME, scenario = "campaign", seed = 7 } = {},
): Promise<Game> {
  return made<Game>(await request.post("/api/matches", { data: { game, scenario, seats, seed } }));
}

const number = () => randomBytes(32);
const hash = (value: Buffer) => createHash("sha256").update(value).digest("hex");

async function made<Answer>(answer: { status(): number; text(): Promise<string> }): Promise<Answer> {
  expect(answer.status(), await answer.text()).toBeLessThan(300);
  return JSON.parse(await answer.text()) as Answer;
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

export async function click(request: APIRequestContext, game: Game, side: string, name: string): Promise<void> {
  const { question } = await view(request, game, side);
  const answer = await request.post(`/api/matches/${game.id}/clicks`, {
    headers: { "X-Khamsin-Key": game.keys[side]! }, data: { number: question!.number, click: name, side },
  });
  expect(answer.ok(), `${name}: ${await answer.text()}`).toBe(true);
}

/** Answer as briefly as can be, for whichever side is asked, until something holds. */
export async function playUntil(request: APIRequestContext, game: Game, stop: (view: View) => boolean): Promise<View> {
  const sides = Object.keys(game.keys);
  for (let i = 0; i < 500; i++) {
    let now = await view(request, game, sides[0]!);
    const side = now.question!.side;
    if (!sides.includes(side)) continue;
    now = await view(request, game, side);
    if (stop(now)) return now;
    await click(request, game, side, shortest(now.question!));
  }
  throw new Error("never came to that");
}

/** The answer that ends a question soonest. */
export function shortest({ buttons = [], hexes = {}, units = {}, boxes = {} }: Question): string {
  const names = buttons.map((button) => button.click);
  const ends = ["done", "default", "no"].find((name) => names.includes(name));
  return (ends ?? names[0] ?? Object.keys(hexes)[0] ?? Object.keys(units)[0] ?? Object.keys(boxes)[0])!;
}

/** Come to the table with a key. Everything the page complains of is gathered. */
export async function sit(page: Page, game: Game, side: string): Promise<string[]> {
  const complaints: string[] = [];
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
  await page.getByRole("button", { name: `I am ${side}: show the table` }).click();
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

/** Click a unit by mouse, out of its fan where it lies in a stack. */
export async function clickUnit(page: Page, name: string, at: string, game = GAME): Promise<void> {
  const counter = page.locator(`.counter[data-unit="${name}"]`);
  const stacked = (await page.locator(`.counter[data-at="${at}"]`).count()) > 1;
  // A hand moves until the stack opens; the map may still have been on its way.
  await expect(async () => {
    const { x, y } = await spot(page, at, game);
    await page.mouse.move(x + 4, y + 4);
    await page.mouse.move(x + 1, y + 1);
    if (stacked) await expect(counter).toHaveClass(/fanned/, { timeout: 1500 });
  }).toPass();
  await counter.click();
}

/** Wait until a further question is on the table, for whomever. */
export async function answered(page: Page, act: () => Promise<unknown>): Promise<void> {
  const foot = page.locator("footer");
  const before = await foot.getAttribute("data-version");
  await act();
  await expect(foot).not.toHaveAttribute("data-version", before ?? "");
}
