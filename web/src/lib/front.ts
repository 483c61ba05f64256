/** Where two sides meet. */

import type { Board } from "./geometry";

/** Hexes between units that still count as near each other, and as one battle. */
const NEAR = 3;
const TOGETHER = 6;

/** The hexes of the largest group of units that are near the enemy; without enemies none. */
export function front(board: Board, own: readonly string[], enemies: readonly string[]): string[] {
  const spots = (numbers: readonly string[]) => [...new Set(numbers)].map((number) => board.hex(number)).filter((hex) => hex !== null);
  const [ours, theirs] = [spots(own), spots(enemies)];
  const far = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y) / board.scale;
  const facing = [...ours.map((hex) => ({ hex, others: theirs })), ...theirs.map((hex) => ({ hex, others: ours }))]
    .map(({ hex, others }) => ({ hex, gap: Math.min(...others.map((other) => far(hex, other))) }));
  const least = Math.min(...facing.map(({ gap }) => gap));
  if (!Number.isFinite(least)) return [];
  const near = facing.filter(({ gap }) => gap <= Math.max(NEAR, least + 1)).map(({ hex }) => hex);
  const left = new Set(near);
  let best: typeof near = [];
  for (const first of near) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const hex of group) {
      for (const other of left) {
        if (far(hex, other) > Math.max(TOGETHER, least + 1)) continue;
        left.delete(other);
        group.push(other);
      }
    }
    if (group.length > best.length) best = group;
  }
  return best.map(({ number }) => number);
}
