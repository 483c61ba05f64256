import axe from "axe-core";
import type { Page } from "@playwright/test";

/** What a screen reader would stumble over, as axe finds it: the rule, and the first element that breaks it. */
export async function barriers(page: Page): Promise<string[]> {
  // What is still fading in has no contrast yet.
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect?.getComputedTiming().endTime === Infinity));
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary?.split("\n").slice(1, 2).join("") ?? ""}`));
}
