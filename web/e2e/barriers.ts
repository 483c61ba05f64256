import axe from "axe-core";
import type { Page } from "@playwright/test";

/**
 * What a screen reader would stumble over, as axe finds it: the rule, and the first element that breaks it.
 * `within` limits the search to a part of the page. The whole table takes seconds, most of them for its counters.
 */
export async function barriers(page: Page, within = "html"): Promise<string[]> {
  // What is still fading in has no contrast yet.
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect?.getComputedTiming().endTime === Infinity));
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async (part) => (await (globalThis as unknown as { axe: typeof axe }).axe.run(part, { resultTypes: ["violations"] })).violations, within,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary?.split("\n").slice(1, 2).join("") ?? ""}`));
}
