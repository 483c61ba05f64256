// How fast the table is, in Chromium against a running server:
//   node tools/speed.mjs http://127.0.0.1:8000 GAME-ID KEY SIDE [CLICKS]
// The match must be at a decision of that side that can be taken and undone, such as the choice of a unit to move.
// Prints JSON: milliseconds from the click to the drawn view, and to the answer of the server alone, bytes of the first load, milliseconds until it can be used and from
// a zoom to a sharp map.
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";

const [base, id, key, side, clicks = "40"] = process.argv.slice(2);
const browserPath = (process.env.PATH ?? "")
  .split(":")
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => `${folder}/${name}`))
  .find(existsSync);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });

const view = async () => (await fetch(`${base}/api/matches/${id}?side=${encodeURIComponent(side)}&log_from=1000000`, { headers: { "X-Khamsin-Key": key } })).json();

/** Bytes over the wire by the path of what was fetched. */
const fetched = new Map();
const wire = await page.context().newCDPSession(page);
const paths = new Map();
await wire.send("Network.enable");
wire.on("Network.responseReceived", ({ requestId, response }) => paths.set(requestId, new URL(response.url, base).pathname));
wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
  const path = paths.get(requestId) ?? "";
  fetched.set(path, (fetched.get(path) ?? 0) + encodedDataLength);
});

// When the last change came over the live connection.
await page.addInitScript(() => {
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => data.startsWith('{"type":"update"') && (window.heard = performance.now()));
    }
  };
});

const begun = performance.now();
await page.goto(`${base}/game/${id}#key=${key}`);
// A key to both seats of a game with secrets: the table is handed over first.
const curtain = page.locator(".curtain button");
await page.locator("footer[data-number], .curtain button").first().waitFor();
if (await curtain.count()) await curtain.click();
await page.locator("footer[data-number]").waitFor();
await page.locator(".counter:not(.buried) .symbol").first().waitFor();
const usable = performance.now() - begun;
await page.waitForLoadState("networkidle");
await page.locator(".ground[data-drawn]").waitFor({ state: "attached" });

/** Milliseconds from a key that zooms until the map rests and its ground is drawn again. */
const sharp = [];
for (const key of ["+", "+", "-", "-"]) {
  await page.evaluate(() => {
    const zoom = () => new DOMMatrix(getComputedStyle(document.querySelector(".stage")).transform).a;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const redrawn = async () => {
      const [pressed, before] = [performance.now(), zoom()];
      while (zoom() === before || document.querySelector(".stage.moving")) await frame();
      for (let still = 0; still < 3; still = document.querySelector(".ground[data-drawn]") ? still + 1 : 0) await frame();
      return performance.now() - pressed;
    };
    window.sharp = new Promise((resolve) => addEventListener("keydown", () => resolve(redrawn()), { capture: true, once: true }));
  });
  await page.keyboard.press(key);
  sharp.push(await page.evaluate(() => window.sharp));
}

await page.evaluate(() => {
  const foot = document.querySelector("footer");
  let pressed = 0;
  let last = foot.dataset.number;
  window.drawn = [];
  window.answers = [];
  addEventListener("pointerdown", () => (pressed = performance.now()), true);
  addEventListener("keydown", () => (pressed = performance.now()), true);
  new MutationObserver(() => {
    if (foot.dataset.number === undefined || foot.dataset.number === last) return;
    last = foot.dataset.number;
    window.answers.push(window.heard - pressed);
    // The frame callback comes before the frame is painted, a message posted in it comes after.
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.drawn.push(performance.now() - pressed);
      channel.port2.postMessage(0);
    });
  }).observe(foot, { attributes: true, attributeFilter: ["data-number"] });
});

const settled = (number) => page.locator(`footer[data-number]:not([data-number="${number}"])`).waitFor();

/** The map glides to what is chosen: where a hex lies is known once it has come to rest. */
const atRest = () =>
  page.evaluate(async () => {
    const where = () => getComputedStyle(document.querySelector(".stage")).transform;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let last = "", still = 0; still < 5; last = where()) {
      await frame();
      still = where() === last ? still + 1 : 0;
    }
  });

while ((await page.evaluate(() => window.drawn.length)) < Number(clicks)) {
  const { question } = await view();
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await settled(question.number);
  const chosen = (await view()).question;
  await atRest();
  const spots = await page.evaluate(
    (names) => {
      const frame = document.querySelector(".viewport").getBoundingClientRect();
      return names.flatMap(({ name, x, y }) => {
        const stage = new DOMMatrix(getComputedStyle(document.querySelector(".stage")).transform);
        const at = { name, x: frame.left + stage.e + x * stage.a, y: frame.top + stage.f + y * stage.a };
        const hit = document.elementFromPoint(at.x, at.y);
        const inside = at.x > frame.left + 80 && at.x < frame.right - 260 && at.y > frame.top + 120 && at.y < frame.bottom - 160;
        return inside && hit?.closest(".viewport") && !hit.closest("[data-unit]") ? [at] : [];
      });
    },
    await hexes(Object.keys(chosen.hexes ?? {})),
  );
  const target = spots[Math.floor(spots.length / 2)];
  if (target) {
    await page.mouse.move(target.x, target.y);
    await page.mouse.click(target.x, target.y);
    await settled(chosen.number);
  }
  const after = (await view()).question;
  if (after.moves?.length) {
    await page.keyboard.press("u");
    await settled(after.number);
  }
}

async function hexes(names) {
  hexes.board ??= new Map((await (await fetch(`${base}/api/boards/${(await view()).game}`)).json()).hexes.map((hex) => [hex.number, hex]));
  return names.map((name) => hexes.board.get(name)).filter(Boolean).map(({ number, x, y }) => ({ name: number, x, y }));
}

const sorted = (list) => list.sort((a, b) => a - b);
const [times, answers] = [sorted(await page.evaluate(() => window.drawn)), sorted(await page.evaluate(() => window.answers))];
const part = (share, list = times) => Math.round(list[Math.min(list.length - 1, Math.floor(list.length * share))] * 10) / 10;
const onBoard = Object.values((await view()).units).map(({ at }) => at);
const map = (path) => path.endsWith("/map.svg") || path.startsWith("/fonts/");
const sum = (keep) => [...fetched].filter(([path]) => keep(path)).reduce((total, [, bytes]) => total + bytes, 0);
console.log(JSON.stringify({
  clicks: times.length, median_ms: part(0.5), p95_ms: part(0.95), max_ms: part(1), answer_median_ms: part(0.5, answers), answer_p95_ms: part(0.95, answers),
  counters: (await hexes(onBoard)).length, counters_in_page: await page.locator(".counter").count(), usable_ms: Math.round(usable), sharp_ms: Math.round(Math.max(...sharp)),
  first_load_bytes: sum((path) => !map(path)), map_bytes: sum(map),
}));
await browser.close();
