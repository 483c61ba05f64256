/** Which combat sheets are shown, in which order, and what a click at the pointer does to each. */

import type { OddsView, Question } from "./types";

/** A sheet with a note on the click at the pointer; empty if the click leaves the combat as it is. */
export interface Shown {
  sheet: OddsView;
  note: string;
}

/** Lines of a resolved combat that are shown; the earlier ones are folded. */
const LATEST = 8;

/** The sheets in order: that of the hex under the pointer, then that of the decision, then the others.
 * A combat that a click would call off or open again is shown as it is now, with what the click does. */
export function order(now: readonly OddsView[], foreseen: readonly OddsView[], hex: string | null, question: Question | null): Shown[] {
  const verb = hex && question ? undoing(now, hex, question) : "";
  const rank = (sheet: OddsView): number => (hex && sheet.targets.includes(hex) ? 2 : sheet.attackers.some((unit) => question?.about.includes(unit)) ? 1 : 0);
  const known = new Set(now.map((sheet) => JSON.stringify(bare(sheet))));
  const noteOf = (sheet: OddsView): string => {
    if (verb) return sheet.targets.includes(hex!) ? `click to ${verb}` : "";
    return foreseen.length && !known.has(JSON.stringify(bare(sheet))) ? "after this click" : "";
  };
  const all = verb || !foreseen.length ? now : foreseen;
  return [...all].sort((a, b) => rank(b) - rank(a)).map((sheet) => ({ sheet, note: noteOf(sheet) }));
}

/** What a click on the target of a combat does to it as a whole; empty if the hex is not one, or the combat keeps another hex. */
function undoing(now: readonly OddsView[], hex: string, question: Question): string {
  const sheet = now.find(({ targets }) => targets.includes(hex));
  if (!sheet || !(hex in question.hexes)) return "";
  const hint = question.hexes[hex];
  if (question.kind === "combat.target" && typeof hint === "string") return hint;
  return question.kind === "combat.attackers" && sheet.targets.length === 1 && sheet.attackers.some((unit) => question.about.includes(unit)) ? "call off" : "";
}

/** A combat without what depends on the decision. */
const bare = ({ attackers, targets, column, terms }: OddsView) => ({ attackers, targets, column, terms });

/** The lines of a resolved combat: the earlier ones, which are folded, and the latest. */
export const fold = <Line>(lines: readonly Line[]): { earlier: readonly Line[]; latest: readonly Line[] } => ({
  earlier: lines.slice(0, -LATEST), latest: lines.slice(-LATEST),
});
