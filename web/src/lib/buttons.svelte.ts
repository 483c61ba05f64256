/** The buttons of a decision: which ends the phase, which waits for a confirmation, and what they leave undone. */

import type { MatchStore } from "./match.svelte";
import type { Confirm } from "./pointing";
import { settings } from "./settings.svelte";
import type { Button, Question } from "./types";

/** The button that ends a phase, and the one that places everything as usual, in every game. */
const DONE = "done";
const USUAL = "default";
/** The kind of decision at which arrivals are placed, in every game. */
const ARRIVAL = "reinforcement.unit";
const NONE: ReadonlySet<string> = new Set();

export class Buttons {
  /** The click that waits for a confirmation. */
  confirm = $state.raw<Confirm | null>(null);
  /** Units that the player asked to be shown: those that can still act. */
  pointedOut = $state.raw<ReadonlySet<string>>(NONE);
  #pointedPhase = "";

  constructor(readonly table: MatchStore) {}

  /** The units that can still act. Not those that would only be given up, nor what is on the map already at set-up and arrival. */
  canAct = $derived.by(() => {
    const { table } = this;
    const question = table.drawn;
    if (!question || question.about.length || question.kind.startsWith("setup")) return [];
    const arriving = question.kind.startsWith("reinforcement");
    return question.can_act.filter((name) => !(name in question.warnings) && !(arriving && table.board?.hex(table.unit(name)?.at)));
  });
  /** The button that ends the phase, if units can still act when it is clicked. */
  ending = $derived.by(() => {
    const { table } = this;
    const buttons = this.canAct.length ? (table.drawn?.buttons ?? []) : [];
    return buttons.find(({ click }) => click === DONE) ?? buttons.find(({ role, click }) => role === "main" && click !== USUAL) ?? null;
  });

  /** Press a button of the decision; one that needs a confirmation asks for it first. */
  push(button: Button): void {
    const { table } = this;
    table.refusal = null;
    if (this.confirm?.click === button.click) return this.confirmed();
    if (button === this.ending && settings.confirmEnd && !table.drawn!.warnings[button.click]) {
      this.confirm = { click: button.click, caption: button.caption, warning: "" };
      table.announce(`Units left: ${this.canAct.length}.`);
    } else void table.click(button.click);
  }

  /** Click the button that waited for a confirmation. */
  confirmed(): void {
    const { table } = this;
    const name = this.confirm?.click;
    this.confirm = null;
    if (name) void table.send(name);
  }

  /** The arrivals that one click each places, where the game has no button that places all as usual. */
  arrivals = $derived.by(() => {
    const { table } = this;
    const question = table.drawn;
    if (question?.kind !== ARRIVAL || question.buttons.some(({ click }) => click === USUAL)) return [];
    return Object.keys(question.units).filter((name) => !table.board?.hex(table.unit(name)?.at) && typeof question.units[name] === "string");
  });

  /** Place all arrivals, by ordinary clicks. */
  async placeAll(): Promise<void> {
    const { table } = this;
    for (const name of this.arrivals) {
      const question = table.question;
      if (question?.kind !== ARRIVAL) return;
      if (name in question.units) await table.send(name);
    }
  }

  /** Show the units that can still act. */
  pointOut(): void {
    const { table } = this;
    this.confirm = null;
    this.pointedOut = new Set(this.canAct);
    table.wish = { fit: [...this.pointedOut].map((name) => table.unit(name)?.at ?? "") };
  }

  /** Press the button that continues. */
  pushMain(): void {
    const { table } = this;
    const main = table.question?.buttons.find(({ role }) => role === "main");
    if (main) this.push(main);
    else for (const blocked of table.question?.blocked.slice(0, 1) ?? []) this.showBlocked(blocked);
  }

  /** Say why a button cannot be clicked, and show what causes it. */
  showBlocked({ caption, reason, rule, cause }: Question["blocked"][number]): void {
    const { table } = this;
    table.refusal = { error: `${caption}: ${reason}`, reason: "illegal", rule, cause, view: null };
    table.announce(`${caption}: ${reason}`);
    const at = cause.split(" ")[0] ?? "";
    if (table.board?.hex(at)) table.goTo(at);
    else if (table.board?.hex(table.unit(cause)?.at)) table.goTo(table.unit(cause)!.at);
    else if (table.unit(cause)) {
      // It is off the map: the tray opens at it.
      table.trayShown++;
      table.select(cause);
    }
  }

  /** Let a click that gives something up wait for a confirmation. */
  askFirst(click: string, caption: string, warning: string): void {
    this.confirm = { click, caption, warning };
    this.table.announce(warning);
  }

  /** Another phase: the units that were shown no longer matter. */
  renew(phase: string): void {
    if (this.pointedOut.size && phase !== this.#pointedPhase) this.pointedOut = NONE;
    this.#pointedPhase = phase;
  }
}
