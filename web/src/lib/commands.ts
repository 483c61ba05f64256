/** What the keys do on the playing screen. */

import type { Wish } from "./keys";
import type { MatchStore } from "./match.svelte";

/** What a key can reach besides the match. */
export interface Screen {
  find(): void;
  help(): void;
  fold(panel: "left" | "right"): void;
  zoomBy(factor: number): void;
  panBy(dx: number, dy: number): void;
  /** Show the whole board. */
  fit(): void;
  /** Show where the sides meet. */
  fitBattle(): void;
}

const PAN = 120;

export class Commands {
  /** Where a walk along one axis began, so that it stays on its line. */
  #keep: { x: number; y: number } | null = null;
  #axis = "";

  constructor(
    readonly table: MatchStore,
    readonly screen: Screen,
  ) {}

  /** Do what a key asks for; false if there is nothing to do. */
  obey(wanted: Wish): boolean {
    const { table, screen } = this;
    switch (wanted.do) {
      case "find": screen.find(); break;
      case "help": screen.help(); break;
      case "left": case "right": screen.fold(wanted.do); break;
      case "zoom": screen.zoomBy(wanted.factor); break;
      case "pan": screen.panBy(-wanted.dx * PAN, -wanted.dy * PAN); break;
      case "fit": screen.fit(); break;
      case "battle": screen.fitBattle(); break;
      case "undo": void table.undo(); break;
      case "next": table.nextUnit(); break;
      case "previous": table.nextUnit(true); break;
      case "enter": this.#enter(); break;
      case "formation": void table.selectFormation(); break;
      case "end": table.pushMain(); break;
      case "hide": table.counters = !table.counters; break;
      case "fan": this.#fan(); break;
      case "skip": table.skip(); break;
      case "escape": this.#escape(); break;
      case "step": this.#step(wanted.dx, wanted.dy); break;
      case "layer": {
        const layer = table.box?.layers[wanted.index];
        if (!layer) return false;
        table.toggleLayer(layer.name);
        break;
      }
      case "button": {
        const button = table.question?.buttons[wanted.index];
        if (!button) return false;
        table.pushButton(button);
        break;
      }
    }
    return true;
  }

  /** Move the cursor to the next hex, or within a fan to the next counter. */
  #step(dx: number, dy: number): void {
    const { table } = this;
    const board = table.board;
    if (!board) return;
    if (table.fanned && table.fanned === table.cursor) return this.#choose(dx + dy);
    const from = board.hex(table.cursor) ?? board.hex(table.unit(table.selected ?? "")?.at) ?? board.hex(this.#middle());
    if (!from) return;
    const axis = dx ? "across" : "down";
    if (this.#axis !== axis || !this.#keep) [this.#keep, this.#axis] = [from, axis];
    const next = table.cursor ? board.step(from, dx, dy, this.#keep) : from;
    if (!next) return;
    table.closeFan();
    table.goTo(next.number);
    table.point({ hex: next.number, unit: null });
    table.announce(table.describePlace(next.number));
  }

  #middle(): string {
    const { table } = this;
    return Object.values(table.shown?.units ?? {}).find(({ at }) => table.board?.hex(at))?.at ?? table.board?.hexes[0]?.number ?? "";
  }

  #choose(by: number): void {
    const { table } = this;
    const units = table.unitsAt(table.fanned);
    const here = units.indexOf(table.selected ?? "");
    const next = units[(here + by + units.length) % units.length];
    if (!next) return;
    table.select(next);
    table.point({ hex: table.fanned, unit: next });
    table.announce(table.describe(next));
  }

  #fan(): void {
    const { table } = this;
    const place = table.cursor ?? table.hover.hex;
    if (!place || table.unitsAt(place).length < 2) return;
    const open = table.fanned === place;
    if (open) table.closeFan();
    else table.openFan(place, null);
    table.cursor = place;
    if (!open) this.#choose(1);
  }

  /** Click at the cursor: the unit chosen in a fan, else the stack, the only legal unit or the hex. */
  #enter(): void {
    const { table } = this;
    const place = table.cursor;
    const question = table.question;
    if (!question) return;
    if (!place) return void (table.selected && table.selected in question.units && table.press({ hex: null, unit: table.selected }));
    const here = table.unitsAt(place);
    if (table.fanned === place && table.selected && here.includes(table.selected)) return void table.press({ hex: place, unit: table.selected });
    const legal = here.filter((name) => name in question.units);
    if (legal.length > 1 && !table.cancel && !(place in question.hexes)) return this.#fan();
    const unit = legal.find((name) => name === table.selected) ?? legal[0] ?? here.at(-1) ?? null;
    void table.press({ hex: place, unit }, { stack: true });
  }

  #escape(): void {
    const { table } = this;
    if (table.confirm) table.confirm = null;
    else if (table.refusal) table.refusal = null;
    else if (table.fan?.asked) table.closeFan();
    else if (table.deselect()) table.closeFan();
    else if (table.fan) table.closeFan();
    else if (table.result.length) table.putAway();
    else if (table.pointedOut.size) table.pointedOut = new Set();
    else if (table.cursor) {
      table.cursor = null;
      table.clearHover();
    } else table.select(null);
  }
}
