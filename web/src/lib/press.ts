/** What a press on the map means: which clicks of the decision it makes. The same for mouse, keyboard and touch. */

import type { Question } from "./types";

/** A press on a hex, on a unit, or on both. */
export interface Press {
  hex: string | null;
  unit: string | null;
  /** Whether the whole stack is meant: its pile, not one counter of its fan. */
  stack: boolean;
  /** Whether to select only, never to move: Shift is held. */
  only: boolean;
}

/** What the press needs to know of the position. */
export interface Around {
  /** The units of a location. */
  unitsAt(hex: string): readonly string[];
  /** The location of a unit. */
  at(unit: string): string | null;
  isOwn(unit: string): boolean;
  /** Units that could be selected when nothing was; null if that is not known. */
  ready: ReadonlySet<string> | null;
}

export type Intent =
  | { do: "click"; name: string }
  /** Click several units, one after another. */
  | { do: "all"; names: string[] }
  /** Cancel the selection, then press again. */
  | { do: "switch"; cancel: string }
  /** Nothing legal: request why. */
  | { do: "explain"; name: string }
  | { do: "nothing" };

const NOTHING: Intent = { do: "nothing" };

export const isLegal = (question: Question, name: string): boolean =>
  name in question.units || name in question.hexes || name in question.boxes || question.buttons.some(({ click }) => click === name);

/** Whether a decision gathers units for a combat, a barrage or an air mission, from one pile or many. They are not a selection. */
export const gathers = (question: Question | null): boolean => /^(combat\.attackers|barrage\.fire|air\.mission)(\.|$)/.test(question?.kind ?? "");

/** The button that drops the selection, or null if nothing is selected. */
export function cancelOf(question: Question | null): string | null {
  if (!question?.about.length || gathers(question)) return null;
  return question.buttons.find(({ role }) => role === "cancel")?.click ?? null;
}

/** Whether a click on a hex selects the units in it. */
export const selectsStack = (question: Question, hex: string, around: Around): boolean =>
  !question.about.length && !gathers(question) && hex in question.hexes && around.unitsAt(hex).some((unit) => unit in question.units);

/** Whether a hex is a destination of the selection that also holds own units which could be selected instead. */
export function isAmbiguous(question: Question, hex: string, around: Around): boolean {
  return !!cancelOf(question) && hex in question.hexes && !holdsSelection(question, hex, around) && canSelect(hex, null, around);
}

/** Whether units of another side are on a path: they cause a roll or a reveal, so the move may not be undoable. */
export const meetsOthers = (way: readonly string[], around: Around): boolean => way.some((hex) => around.unitsAt(hex).some((unit) => !around.isOwn(unit)));

/** Whether a press would only select or deselect, which costs nothing and needs no preview. */
export function onlySelects(question: Question, press: Press, around: Around): boolean {
  const intent = intend(question, press, around);
  if (intent.do === "switch") return true;
  if (intent.do !== "click") return false;
  const { name } = intent;
  return name === cancelOf(question) || selectsStack(question, around.at(name) ?? name, around);
}

export function intend(question: Question, press: Press, around: Around): Intent {
  const cancel = cancelOf(question);
  return cancel ? withSelection(question, cancel, press, around) : withoutSelection(question, press, around);
}

function withoutSelection(question: Question, { hex, unit, stack }: Press, around: Around): Intent {
  const legalUnit = unit !== null && unit in question.units;
  const all = stack && hex ? attackersIn(question, hex, around) : [];
  if (all.length > 1) return { do: "all", names: all };
  if (stack && hex && unit && gathers(question)) {
    const left = around.unitsAt(hex).filter((name) => name in question.units && !question.about.includes(name));
    if (left.length) return { do: "click", name: left.includes(unit) ? unit : left[0]! };
  }
  if (stack && hex && around.unitsAt(hex).length > 1 && selectsStack(question, hex, around)) return { do: "click", name: hex };
  if (legalUnit) return { do: "click", name: unit };
  if (hex && isLegal(question, hex)) return { do: "click", name: hex };
  return explain(question, hex, unit, around);
}

/** The units that a press on a pile takes out of a combat, or puts into it if none of them is in it. */
function attackersIn(question: Question, hex: string, around: Around): string[] {
  if (question.kind !== "combat.attackers" || hex in question.hexes) return [];
  const legal = around.unitsAt(hex).filter((name) => name in question.units);
  const inside = legal.filter((name) => question.about.includes(name));
  return inside.length ? inside : legal;
}

/** Whether a press on a pile that selected one unit meant another, the one under the pointer: the two cannot go together. */
export function meansOther(before: Question, after: Question, unit: string | null): unit is string {
  return unit !== null && unit in before.units && !!cancelOf(after) && after.about.length === 1 && after.about[0] !== unit && !(unit in after.units);
}

/** What a press on a stack of several own units does: to the whole stack at its pile or plate, to one unit in its fan. Else empty. */
export function whatOf(question: Question, press: Press, around: Around): string {
  const units = press.hex ? around.unitsAt(press.hex).filter((name) => name in question.units) : [];
  if (units.length < 2) return "";
  const intent = intend(question, press, around);
  const one = press.stack ? " · a counter of its fan: one unit" : "";
  if (intent.do === "all") return `Click: ${question.about.includes(intent.names[0]!) ? "remove" : "add"} the stack${one}`;
  if (intent.do !== "click") return "";
  if (intent.name === press.hex && selectsStack(question, press.hex, around)) return `Click: select the stack${one}`;
  if (intent.name === cancelOf(question) && press.stack) return `Click: cancel the selection${one}`;
  if (!(intent.name in question.units)) return "";
  if (!gathers(question) && !cancelOf(question)) return /^move\.|\.stack$/.test(question.kind) ? "Click: select this unit" : "Click: choose this unit";
  return `Click: ${question.about.includes(intent.name) ? "remove" : "add"} ${intent.name === press.unit ? "this unit" : "one unit"}`;
}

function withSelection(question: Question, cancel: string, press: Press, around: Around): Intent {
  const { hex, unit, stack, only } = press;
  if (hex && holdsSelection(question, hex, around)) {
    if (unit && !stack && unit in question.units && around.unitsAt(hex).length > 1) return { do: "click", name: unit };
    if (only && unit && !question.about.includes(unit)) return { do: "switch", cancel };
    return stack || !unit || question.about.includes(unit) ? { do: "click", name: cancel } : explain(question, hex, unit, around);
  }
  if (hex && hex in question.hexes && !only) return { do: "click", name: hex };
  if (unit && unit in question.units) return { do: "click", name: unit };
  if (canSelect(hex, stack ? null : unit, around)) return { do: "switch", cancel };
  // A hex that the selection can enter is pressed as a destination, whatever is in it.
  return explain(question, hex, hex && hex in question.reach ? null : unit, around);
}

const holdsSelection = (question: Question, hex: string, around: Around): boolean => question.about.some((unit) => around.at(unit) === hex);

/** Whether a unit, or one of the units in a hex, could be selected if nothing was. */
function canSelect(hex: string | null, unit: string | null, around: Around): boolean {
  const units = unit ? [unit] : hex ? around.unitsAt(hex) : [];
  return units.some((name) => around.isOwn(name) && (around.ready?.has(name) ?? true));
}

/**
 * For an enemy unit the reason of its hex is requested: that is where the selection cannot move. So it is for any unit where a hex
 * is chosen for units that are already known, as in a retreat.
 */
function explain(question: Question, hex: string | null, unit: string | null, around: Around): Intent {
  const choosesHex = !!question.about.length && !!Object.keys(question.hexes).length && !Object.keys(question.units).length;
  const name = unit && (!hex || (around.isOwn(unit) && !choosesHex)) ? unit : (hex ?? unit);
  return name ? { do: "explain", name } : NOTHING;
}
