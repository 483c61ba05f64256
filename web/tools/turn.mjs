// How many clicks a sensible first Axis turn of PanzerArmee Afrika takes by mouse, in Chromium against a running server:
//   node tools/turn.mjs http://127.0.0.1:8000 [FOLDER FOR SCREENSHOTS]
// Every stack moves, the enemy next to them is attacked, reinforcements arrive. Prints each click and JSON with the number.
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";

const [base, folder] = process.argv.slice(2);
const browserPath = (process.env.PATH ?? "")
  .split(":")
  .flatMap((path) => ["chromium", "chromium-browser", "google-chrome"].map((name) => `${path}/${name}`))
  .find(existsSync);
const SIDE = "Axis";
/** From where to where the stacks go, in this order. */
const MOVES = [["0702", "0906"], ["0703", "1005"], ["0701", "0905"], ["0602", "0805"], ["0601", "0804"]];

const post = async (path, data, key = "") => {
  const answer = await fetch(base + path, { method: "POST", headers: { "content-type": "application/json", "X-Khamsin-Key": key }, body: JSON.stringify(data) });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
};
const game = await post("/api/matches", { game: "paa", scenario: "campaign", seats: { Axis: "me", Allied: "passive" }, seed: 7 });
const view = async () => (await fetch(`${base}/api/matches/${game.id}?side=${SIDE}&log_from=100000`, { headers: { "X-Khamsin-Key": game.keys[SIDE] } })).json();
const hexes = new Map((await (await fetch(`${base}/api/boards/paa`)).json()).hexes.map((hex) => [hex.number, hex]));

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
await page.goto(`${base}/game/${game.id}#key=${game.keys[SIDE]}`);
await page.locator("footer[data-number]").waitFor({ timeout: 60_000 });
await page.locator(".ground[data-drawn]").waitFor({ state: "attached", timeout: 60_000 });

let clicks = 0;
/** Make one click and wait for the next decision, or for a card that asks for a confirmation. */
async function clicked(what, act) {
  const before = await page.locator("footer").getAttribute("data-version");
  clicks++;
  console.log(String(clicks).padStart(2), what);
  await act();
  await page.locator(`footer:not([data-version="${before}"]), [role=alertdialog]`).first().waitFor({ timeout: 30_000 });
  await page.waitForTimeout(60);
  if (folder) await page.screenshot({ path: `${folder}/turn-${String(clicks).padStart(2, "0")}.png` });
}
const spot = ({ x, y }) =>
  page.evaluate(([left, top]) => {
    const m = new DOMMatrix(getComputedStyle(document.querySelector(".stage")).transform);
    const frame = document.querySelector(".viewport").getBoundingClientRect();
    return { x: frame.left + m.e + left * m.a, y: frame.top + m.f + top * m.a };
  }, [x, y]);
const hex = (number) => clicked(`hex ${number}`, async () => {
  const at = await spot(hexes.get(number));
  await page.mouse.click(at.x, at.y);
  await page.mouse.move(at.x, at.y - 90);
});
const confirmed = async () => {
  const end = page.locator("[role=alertdialog] .button").last();
  if (await end.count()) await clicked(`confirm: ${await end.innerText()}`, () => end.click());
};
const button = async (click) => {
  const { question } = await view();
  const { caption } = question.buttons.find((one) => one.click === click);
  await clicked(`button ${caption}`, () => page.locator("footer").getByRole("button", { name: caption, exact: true }).click());
  await confirmed();
};

/** Answer what is not movement as a player would: attack where it pays, take the usual choice. */
async function answer({ kind, buttons = [], hexes: legal = {}, units = {}, boxes = {} }) {
  const names = buttons.map(({ click }) => click);
  const has = (name) => names.includes(name);
  const targets = Object.entries(legal).filter(([, hint]) => hint !== "attacked").map(([number]) => number);
  if (kind === "combat.target" && targets.length) return hex(targets[0]);
  if (kind === "combat.order" && targets.length) return hex(Object.keys(legal)[0]);
  for (const name of ["usual", "default", "done", "yes", "attack"]) if (has(name)) return button(name);
  if (Object.keys(legal).length) return hex(Object.keys(legal)[0]);
  const unit = Object.keys(units)[0];
  if (unit) return clicked(`unit ${unit}`, () => page.locator(`.tray [data-unit="${unit}"], .counter[data-unit="${unit}"]`).first().click());
  if (Object.keys(boxes).length) return clicked("box", () => page.locator(".tray .box").first().click());
  return button(names[0]);
}

let moved = false;
for (let i = 0; i < 120; i++) {
  const { turn, question, phase, result } = await view();
  if (result || turn.number > 1) break;
  if (question.side !== SIDE) { await page.waitForTimeout(200); continue; }
  await page.locator(`footer[data-number="${question.number}"]`).waitFor({ timeout: 60_000 });
  if (question.kind === "move.stack" && !moved) {
    moved = true;
    for (const [from, to] of MOVES) { await hex(from); await hex(to); }
    await button("done");
    continue;
  }
  if (phase.startsWith("allied") && !clicks) clicks = 0;
  await answer(question);
}
const { units } = await view();
const unmoved = MOVES.flatMap(([from]) => Object.entries(units).filter(([name, { at }]) => at === from && /^(DE|IT) /.test(name)).map(([name]) => name));
console.log(JSON.stringify({ clicks, unmoved }));
await browser.close();
