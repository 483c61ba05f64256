import { click, expect, FIRST, matchOfTwo, playUntil, SECOND, shortest, sit, test, view } from "./seats";

test("a turn begins with what the enemy did; a line centres the map, and the turn can be replayed", async ({ page }) => {
  const match = await matchOfTwo(page.request);
  // The first side moves a unit and ends its turn; the second decides again.
  await playUntil(page.request, match, ({ phase, question }) => phase === "axis movement" && question!.side === FIRST);
  let now = await playUntil(page.request, match, ({ phase, turn }) => phase === "allied movement" && turn.number > 1);
  const summary = (await (
    await page.request.get(`/api/matches/${match.id}/summary?side=${SECOND}`, { headers: { "X-Khamsin-Key": match.keys[SECOND]! } })
  ).json()) as { first: number; last: number; lines: { at: string; text: string }[] };
  expect(summary.lines.length).toBeGreaterThan(0);

  await sit(page, match, SECOND);
  const card = page.getByRole("region", { name: "Since your last turn" });
  await expect(card).toBeVisible();
  await expect(card.locator("li")).not.toHaveCount(0);
  await page.screenshot({ path: "screens/summary-1280x800.png" });

  await card.locator("li .line").first().click();
  await expect(page.locator(".place").first()).toContainText(summary.lines[0]!.at);

  await card.getByRole("button", { name: "Replay turn" }).click();
  await expect(page.locator("footer")).toContainText("Replay");
  await card.getByRole("button", { name: "Stop replay" }).click();
  await expect(page.locator("footer")).not.toContainText("Replay");

  await card.getByRole("button", { name: "Close", exact: true }).click();
  await expect(card).toHaveCount(0);
  await page.reload();
  await expect(page.locator("footer .mine")).toHaveText(SECOND);
  await expect(card).toHaveCount(0);

  now = await view(page.request, match, SECOND);
  await click(page.request, match, SECOND, shortest(now.question!));
  await expect(card).toHaveCount(0);
});

for (const [width, height, most] of [[1024, 768, 120], [390, 844, 250]] as const) {
  test(`without a panel the summary is one line until it is opened, at ${width}x${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const match = await matchOfTwo(page.request);
    await playUntil(page.request, match, ({ phase, question }) => phase === "axis movement" && question!.side === FIRST);
    await playUntil(page.request, match, ({ phase, turn }) => phase === "allied movement" && turn.number > 1);
    await sit(page, match, SECOND);
    const card = page.getByRole("region", { name: "Since your last turn" });
    await expect(card).toBeVisible();
    await expect(card.locator("li")).toHaveCount(0);
    // All that is below the map: tray, summary, rolls.
    const [map, foot] = [(await page.locator(".map").boundingBox())!, (await page.locator("footer").boundingBox())!];
    expect(foot.y - map.y - map.height).toBeLessThan(most);
    await page.screenshot({ path: `screens/summary-${width}x${height}.png` });
    await card.getByRole("button", { name: /^Since your last turn · \d+$/ }).click();
    await expect(card.locator("li")).not.toHaveCount(0);
    await card.getByRole("button", { name: "Close", exact: true }).click();
    await expect(card).toHaveCount(0);
  });
}

test("rolls without effect are one line of the log until it is opened", async ({ page }) => {
  const match = await matchOfTwo(page.request);
  await playUntil(page.request, match, ({ phase, question }) => phase === "axis movement" && question!.side === FIRST);
  await sit(page, match, FIRST);
  await page.getByRole("tab", { name: "Log" }).click();
  const folded = page.locator(".log .routine").first();
  await expect(folded).toContainText(/\d+ rolls without effect/);
  await expect(folded.locator("ul")).toBeHidden();
  await folded.locator("summary").click();
  await expect(folded.locator("li").first()).toBeVisible();
});
