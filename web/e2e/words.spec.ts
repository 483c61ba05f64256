import { atMovement, expect, FIRST, sit, test } from "./seats";

test("panels and the log call units by their full names, and explain terms", async ({ page }) => {
  const match = await atMovement(page.request);
  await sit(page, match, FIRST);
  await page.getByRole("tab", { name: "Log" }).click();
  // The log says "IN 11/IBDE arrives"; the player reads its full name.
  const log = page.getByRole("log", { name: "Log" });
  await expect(log).toContainText("11th Indian Infantry Brigade");
  await expect(log).not.toContainText("IBDE");

  await page.getByRole("tab", { name: "Forces" }).click();
  await page.getByPlaceholder("Unit, formation").fill("11th Indian");
  await expect(page.locator(".leaf")).toHaveCount(1);
  await expect(page.locator(".leaf .name")).toHaveText("11th Indian Infantry Brigade");

  await page.getByRole("tab", { name: "Log" }).click();
  const term = log.locator("[data-term]").first();
  await term.hover();
  await expect(page.getByRole("tooltip")).toContainText((await term.getAttribute("data-text"))!);
  await page.mouse.move(5, 5);
  await expect(page.getByRole("tooltip")).toHaveCount(0);

  await page.getByRole("tab", { name: "Terms" }).click();
  await page.getByPlaceholder("Find a term").fill("ZOC");
  await expect(page.locator("dt", { hasText: "ZOC" }).first()).toBeVisible();
});

test("nothing on the start page, in the match or in its menu speaks the old words", async ({ page }) => {
  const old = /\b(the table|lies|anew|whoever|somebody|is asked)\b/i;
  await page.goto("/");
  await expect(page.getByText("Play against the computer")).toBeVisible();
  expect(await page.locator("body").innerText()).not.toMatch(old);
  const match = await atMovement(page.request);
  await sit(page, match, FIRST);
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    expect(await page.locator("aside.right").innerText(), await tab.innerText()).not.toMatch(old);
  }
  await page.getByRole("button", { name: "Game", exact: true }).click();
  expect(await page.getByRole("menu").innerText()).not.toMatch(old);
});
