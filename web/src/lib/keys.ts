/** The keys of the playing screen. */

/** Everything a key can ask for. */
export type Wish =
  | { do: "find" | "undo" | "next" | "previous" | "enter" | "hide" | "fit" | "battle" | "help" | "fan" | "formation" | "end" | "left" | "right" | "skip" | "escape" }
  | { do: "step" | "pan"; dx: number; dy: number }
  | { do: "zoom"; factor: number }
  | { do: "layer"; index: number }
  | { do: "button"; index: number };

interface Stroke {
  key: string;
  shiftKey?: boolean;
  altKey?: boolean;
  ctrlKey?: boolean;
  metaKey?: boolean;
}

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
};

const PLAIN: Record<string, Wish> = {
  "/": { do: "find" }, u: { do: "undo" }, " ": { do: "next" }, n: { do: "next" }, p: { do: "previous" }, Enter: { do: "enter" },
  h: { do: "hide" }, "+": { do: "zoom", factor: 1.35 }, "=": { do: "zoom", factor: 1.35 }, "-": { do: "zoom", factor: 1 / 1.35 },
  "0": { do: "fit" }, b: { do: "battle" }, "?": { do: "help" }, f: { do: "fan" }, g: { do: "formation" }, e: { do: "end" }, "[": { do: "left" }, "]": { do: "right" }, s: { do: "skip" }, Escape: { do: "escape" },
};

/** What a keystroke asks for, or null. Keys with Ctrl or Meta belong to the browser. */
export function wish({ key, shiftKey, altKey, ctrlKey, metaKey }: Stroke): Wish | null {
  if (ctrlKey || metaKey) return null;
  const arrow = ARROWS[key];
  if (arrow) return { do: shiftKey ? "pan" : "step", dx: arrow[0], dy: arrow[1] };
  if (altKey) return /^[1-9]$/.test(key) ? { do: "button", index: Number(key) - 1 } : null;
  if (key === " " && shiftKey) return { do: "previous" };
  if (/^[1-9]$/.test(key)) return { do: "layer", index: Number(key) - 1 };
  return PLAIN[key] ?? (key.length === 1 ? (PLAIN[key.toLowerCase()] ?? null) : null);
}

/** All keys, for the help card. */
export const HELP: [string[], string][] = [
  [["↑ ↓ ← →"], "move the cursor from hex to hex"],
  [["enter"], "click at the cursor: a stack is selected, a hex is the destination"],
  [["f"], "fan out the stack at the cursor; arrows and enter add or remove its units"],
  [["g"], "select the whole formation of the selected unit"],
  [["esc"], "cancel the selection; close a card"],
  [["space", "n"], "go to the next stack that can act; with shift, or p, to the previous one"],
  [["e"], "the main button: continue, end the phase"],
  [["alt 1", "…", "alt 9"], "the buttons of the prompt, from the left"],
  [["u"], "undo the last move"],
  [["/"], "find a unit, a hex or a place"],
  [["1", "…", "9"], "layers on and off"],
  [["h"], "hide the counters"],
  [["+", "−"], "zoom in and out"],
  [["b", "0"], "show where the sides meet; show the whole board"],
  [["shift ↑ ↓ ← →"], "move the map"],
  [["[", "]"], "fold the panels"],
  [["s"], "skip the moves that are being played"],
  [["?"], "this card"],
];

/** Whether keystrokes belong to the focused element, not to the match. */
export function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
