import { click, expect, FIRST, mapDrawn, SECOND, shortest, sit, test, view, type Game } from "./seats";

test.setTimeout(180_000);

test("the computer shows how far it has thought, moves when it is told to, and tells its reasons where it was set up so", async ({ page }) => {
  // Moves that are still being played out would hide how far it has thought.
  await page.addInitScript(() => localStorage.setItem("khamsin.speed", "0"));
  const answer = await page.request.post("/api/matches", {
    data: { game: "kasserine", scenario: "campaign", seats: { [FIRST]: "hard", [SECOND]: "me" }, seed: 7, open_reasons: true },
  });
  const game = (await answer.json()) as Game;
  // On a busy machine it may stop thinking at once. What comes after the first news of its progress is held back until it has been seen.
  const held: (() => void)[] = [];
  let frames: "sent" | "held back" | "released" = "sent";
  await page.routeWebSocket(/\/live$/, (ws) => {
    ws.connectToServer().onMessage((message) => {
      if (frames === "held back") held.push(() => ws.send(message));
      else ws.send(message);
      if (frames === "sent" && /"part":\d/.test(String(message))) frames = "held back";
    });
  });
  await page.request.get("/api/boards/kasserine"); // a server that has just been started still draws it
  await sit(page, game, SECOND);
  await mapDrawn(page);
  await page.getByRole("tab", { name: "Reasons" }).click();
  const thinking = page.locator("footer progress");
  // Whatever is asked of a person before the computer has a turn to plan is answered as briefly as can be.
  await expect(async () => {
    const { question } = await view(page.request, game, SECOND);
    if (question?.side === SECOND && frames === "sent") await click(page.request, game, SECOND, shortest(question), question.number);
    expect(frames).toBe("held back");
  }).toPass({ timeout: 90_000, intervals: [50] });
  await expect(thinking).toBeVisible();
  await page.screenshot({ path: "screens/thinking-1280x800.png" });
  const asked = page.waitForRequest((request) => request.url().endsWith("/hurry"));
  await page.getByRole("button", { name: "Move now" }).click();
  expect((await (await asked).response())!.status()).toBe(204);
  frames = "released";
  for (const send of held) send();
  await expect(thinking).toBeHidden({ timeout: 60_000 });
  await expect(page.locator("#tab-body li").first()).toContainText("turn", { timeout: 120_000 });
  await page.screenshot({ path: "screens/reasons-1280x800.png" });
  // The same again is set up alike, with open reasons.
  const again = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/api/matches"));
  await page.getByRole("button", { name: "Game", exact: true }).click();
  await page.getByRole("menuitem", { name: "Restart with same settings" }).click();
  expect((await again).postDataJSON()).toMatchObject({ scenario: "campaign", seats: { [FIRST]: "hard", [SECOND]: "me" }, open_reasons: true });
});

test("a level is chosen on the first screen, and reasons are a switch when a game is set up", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("group", { name: "The computer's level" }).getByText("easy").click();
  await expect(page.locator(".play")).toContainText("computer: easy");
  await page.goto("/games#new/paa");
  await page.getByRole("combobox", { name: `Computer player for ${SECOND}` }).selectOption("easy");
  await page.getByLabel(/Show the computer's reasons/).check();
  await page.getByRole("button", { name: "Start match" }).click();
  await expect(page).toHaveURL(/\/game\//);
  await expect(page.locator(".seats")).toContainText("easy");
});

test("the reasons of a match that keeps them until its end are not asked for in vain", async ({ page }) => {
  const answer = await page.request.post("/api/matches", { data: { game: "paa", scenario: "campaign", seats: { [FIRST]: "me", [SECOND]: "easy" }, seed: 7 } });
  const complaints = await sit(page, (await answer.json()) as Game, FIRST);
  await page.getByRole("tab", { name: "Reasons" }).click();
  await expect(page.locator("#tab-body")).toContainText("The computer's reasons are shown when the match is over");
  expect(complaints).toEqual([]);
});
