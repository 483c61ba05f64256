/** What the player points at: the hover, a fan that is open, a click that waits for a confirmation. */

/** What is under the pointer: a hex, and a unit where it is over a counter. */
export interface Hover {
  hex: string | null;
  unit: string | null;
}

/** A click that waits for a confirmation: units can still act, or something is given up. */
export interface Confirm {
  click: string;
  caption: string;
  /** What is given up; empty if units can still act. */
  warning: string;
}

/** Where a fan is open: around which unit, its depth in the pile, and whether by hovering or on request (key, long press). */
export interface Fan {
  at: string;
  unit: string | null;
  depth: number;
  asked: boolean;
}
