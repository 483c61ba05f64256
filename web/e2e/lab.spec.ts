import { atEverySize, expect, test, tooWide } from "./seats";

const STUDY = "/lab?game=paa&scenario=campaign&player.Axis=random&player.Allied=random&games=2&seed=5";

test.setTimeout(240_000);

test("a study is chosen, changed, played, watched and found again by its address", async ({ page }) => {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto("/");
  await page.getByRole("navigation").getByRole("link", { name: "Laboratory" }).click();
  const choose = (name: string, value: string) => page.getByRole("combobox", { name, exact: true }).selectOption(value, { timeout: 20_000 });
  await choose("Game", "kasserine");
  await choose("Scenario", "faid");
  await choose("Axis is played by", "random");
  await choose("Allied is played by", "random");
  await page.getByRole("spinbutton", { name: "Games" }).fill("4");
  await page.getByRole("spinbutton", { name: "Games" }).blur();
  await choose("Change", "counter");
  await page.getByRole("combobox", { name: "Counter" }).fill("HQ 10 Pz");
  await page.getByRole("combobox", { name: "Counter" }).blur();
  await choose("Parameter", "counter.HQ 10 Pz.attack");
  await page.getByRole("textbox", { name: "New value" }).fill("9");
  await page.getByRole("button", { name: "Add" }).click();
  await expect(page.locator(".made")).toContainText("9 instead of");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Finished", { exact: true })).toBeVisible({ timeout: 200_000 });
  await expect(page.getByText("8 of 8 games")).toBeVisible();
  await expect(page.getByRole("heading", { name: "What if", exact: true })).toBeVisible();
  const [report] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Report (HTML)" }).click()]);
  expect(report.suggestedFilename()).toMatch(/^kasserine-faid-.*\.html$/);
  // The address is the study: somebody else who opens it sees the same.
  const address = page.url();
  await page.goto("/");
  await page.goto(address);
  await expect(page.getByText("8 of 8 games")).toBeVisible();
  await expect(page.getByRole("img", { name: /^Who wins/ }).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test("before a run the page says what a run will show, and begins with a question", async ({ page }) => {
  await page.goto("/lab?game=paa");
  const expected = page.getByRole("region", { name: "What the report will show" });
  await expect(expected).toContainText("Axis wins 12 of 20 games, 60.0 %, interval 38.7 % to 78.1 %");
  await page.getByRole("spinbutton", { name: "Games" }).fill("80");
  await page.getByRole("spinbutton", { name: "Games" }).blur();
  await expect(expected).toContainText("Axis wins 48 of 80 games");
  // A number that is not possible is changed, and the page says so.
  await page.getByRole("spinbutton", { name: "Games" }).fill("0");
  await page.getByRole("spinbutton", { name: "Games" }).blur();
  await expect(page.getByRole("spinbutton", { name: "Games" })).toHaveValue("1");
  await expect(page.getByText("At least 1: 0 changed to 1")).toBeVisible();
  await page.getByRole("button", { name: "How much does it help Axis if Allied plays easy?" }).click();
  await expect(page.getByRole("combobox", { name: "Allied is played by" })).toHaveValue("easy");
  await expect(page).toHaveURL(/player\.Allied=easy/);
  await page.getByRole("button", { name: /^What changes with command/ }).click();
  await expect(page.locator(".made")).toContainText("command: single roll");
});

test("a study can be stopped, and keeps what is finished", async ({ page }) => {
  await page.goto("/lab?game=paa&scenario=campaign&player.Axis=random&player.Allied=random&games=2000&seed=1");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Who wins" })).toBeVisible({ timeout: 100_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText("Stopped")).toBeVisible({ timeout: 60_000 });
});

test("a link with parts that cannot be used says which, until the visitor chooses them himself", async ({ page }) => {
  await page.goto("/lab?game=kasserine&scenario=elsewhere&player.Axis=random&player.Allied=clever&games=6&seed=5");
  await expect(page.getByText("The server does not have this study")).toBeVisible();
  const note = page.getByRole("status", { name: "Parts of the link that could not be used" });
  await expect(note.getByRole("listitem")).toHaveCount(2);
  await expect(note).toContainText("has no scenario “elsewhere”");
  await page.getByRole("combobox", { name: "Allied is played by" }).selectOption("random");
  await expect(note.getByRole("listitem")).toHaveText([/has no scenario “elsewhere”/]);
  await page.getByRole("combobox", { name: "Scenario" }).selectOption("campaign");
  await expect(note).toHaveCount(0);
});

test("the laboratory is at no size wider than its window", async ({ page }) => {
  await page.goto(STUDY);
  const play = page.getByRole("button", { name: "Run", exact: true });
  // The page may learn at any moment that the study has been played already.
  await expect(async () => {
    if ((await play.isVisible()) && (await play.isEnabled())) await play.click({ timeout: 1_000 });
    await expect(page.getByText("Finished", { exact: true })).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 200_000 });
  await atEverySize(page, async (size) => {
    await expect(page.locator(".heat path").first()).toBeVisible();
    expect(await tooWide(page)).toBe(0);
    await page.screenshot({ path: `screens/lab-${size}.png`, fullPage: true });
  });
});
