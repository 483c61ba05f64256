/** The turn summary: grouping of its lines, and when it is shown. */

import type { SummaryLine, TurnSummary, View } from "../lib/types";

const TITLES: Record<SummaryLine["kind"], string> = {
  loss: "Losses", place: "Places that changed hands", supply: "Supply", threat: "New threats", arrival: "Arrivals",
};

/** The lines of a kind, the own side's first. */
export interface Group {
  kind: SummaryLine["kind"];
  title: string;
  lines: SummaryLine[];
}

/** Return the lines by kind, in the order of the titles; kinds without lines are left out. */
export function grouped({ lines, side }: Pick<TurnSummary, "lines" | "side">): Group[] {
  return (Object.keys(TITLES) as SummaryLine["kind"][])
    .map((kind) => {
      const found = lines.filter((line) => line.kind === kind);
      return { kind, title: TITLES[kind], lines: [...found.filter((line) => line.side === side), ...found.filter((line) => line.side !== side)] };
    })
    .filter((group) => group.lines.length > 0);
}

/**
 * Whether a phase belongs to the turn of a side, so that a summary makes sense: not a reaction during the enemy's turn, but a
 * phase of both sides, such as air missions, between two of the side's own.
 */
export function inOwnTurn({ phase, phases, viewer }: Pick<View, "phase" | "phases" | "viewer">): boolean {
  const at = phases.findIndex(({ name }) => name === phase);
  if (viewer === null || at < 0) return false;
  const side = (i: number): string | null => phases[(i + phases.length) % phases.length]!.side;
  const long = phases.length >= 4;
  const isOwn = (i: number): boolean => side(i) === viewer && !(long && side(i - 1) === side(i + 1) && side(i - 1) !== viewer);
  return isOwn(at) || (long && isOwn(at - 1) && isOwn(at + 1));
}
