import { answered, atCombat, BOTH, click, expect, FIRST, mapDrawn, newGame, playUntil, SECOND, sit, spot, test, view } from "./seats";

const TARGET = "1006";

test("a click on the enemy takes in all that can attack; a click removes one, and the odds change at once", async ({ page }) => {
  const game = await atCombat(page.request);
  await sit(page, game, FIRST);
  const target = await spot(page, TARGET);
  await answered(page, () => page.mouse.click(target.x, target.y));
  const { question } = await view(page.request, game, FIRST);
  expect(question!.kind).toBe("combat.attackers");
  expect(question!.about!.length).toBeGreaterThan(1);
  const sheet = page.getByRole("region", { name: /^Combat/ }).first();
  // The pointer is on the target: a click there would call the attack off, and the odds are those of the attack as it is.
  await expect(sheet.getByRole("heading").first()).toContainText("click to call off");
  const odds = async () => (await sheet.innerText()).replace(/ · click to call off/i, "");
  const before = await odds();
  expect(before).toMatch(/Column >?\d/);
  const alone = question!.about!.find((unit) => unit === "DE 3/ARECBN")!;
  const counter = page.locator(`.counter[data-unit="${alone}"]`);
  await answered(page, () => counter.click());
  await expect(counter).not.toHaveClass(/about/);
  await expect.poll(odds).not.toBe(before);
  await answered(page, () => counter.click());
  await expect.poll(odds).toBe(before);
  await mapDrawn(page);
  await page.screenshot({ path: "screens/attackers-paa-1280x800.png" });
});

test("pointing at an enemy stack names its units", async ({ page }) => {
  const game = await atCombat(page.request);
  await sit(page, game, FIRST);
  const target = await spot(page, "1107");
  await page.mouse.move(target.x, target.y);
  const { units } = await view(page.request, game, FIRST);
  const names = Object.keys(units).filter((name) => units[name]!.at === "1107");
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) await expect(page.locator(".place")).toContainText(name.split(" ").at(-1)!.split("/")[0]!);
});

test("pointing at a button shows the odds that it would make", async ({ page }) => {
  const game = await newGame(page.request, BOTH, { game: "afrika", scenario: "crusader" });
  await playUntil(page.request, game, ({ question }) => question!.kind === "barrage.target");
  await click(page.request, game, SECOND, "A39.22");
  await sit(page, game, SECOND);
  const sheet = page.getByRole("region", { name: /Barrage/ });
  const before = await sheet.innerText();
  await expect(sheet.getByRole("list", { name: "Further options" })).toContainText("Commit 2 air points");
  await page.getByRole("button", { name: "Fire with 2 air" }).hover();
  await expect(sheet.getByText("2 air points").last()).toBeVisible();
  await expect.poll(() => sheet.innerText()).not.toBe(before);
  await page.mouse.move(300, 300);
  await expect.poll(() => sheet.innerText()).toBe(before);
  // What was fought is shown with these odds, not with those before the click.
  const columns = /\n(\d+-\d+)\n/;
  await page.getByRole("button", { name: "Fire with 2 air" }).hover();
  await expect.poll(async () => columns.exec(await sheet.innerText())?.[1]).not.toBe(columns.exec(before)![1]);
  const column = columns.exec(await sheet.innerText())![1]!;
  await answered(page, () => page.getByRole("button", { name: "Fire with 2 air" }).click());
  await expect(page.getByRole("region", { name: /^Resolved/ })).toContainText(`Odds before the roll: ${column}`);
});

test("the odds before the roll include the air points of both sides, also where nobody pointed at the button", async ({ page }) => {
  const game = await newGame(page.request, { [FIRST]: "passive", [SECOND]: "me" }, { game: "afrika", scenario: "crusader" });
  await playUntil(page.request, game, ({ question }) => question!.kind === "combat.target");
  await click(page.request, game, SECOND, "A38.22");
  const before = (await click(page.request, game, SECOND, "done")).question!;
  expect(before.kind).toBe("combat.air");
  await sit(page, game, SECOND);
  await page.getByRole("button", { name: "Commit 2 air" }).dispatchEvent("click");
  const fought = page.getByRole("region", { name: /^Resolved/ });
  await expect(fought).toContainText(/column \S+, roll/);
  const column = /column (\S+), roll/.exec(await fought.innerText())![1]!;
  await expect(fought).toContainText(`Odds before the roll: ${column}`);
  expect(column).not.toBe((before as unknown as { sheets: { column: string }[] }).sheets[0]!.column);
});
