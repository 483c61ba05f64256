/** What the keys do on the playing screen. */

import { describePlace, describeUnit } from "./describe";
import type { Wish } from "./keys";
import type { MatchStore } from "./match.svelte";
import { selectsStack } from "./press";

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
      case "next": this.#next(); break;
      case "previous": this.#next(true); break;
      case "enter": this.#enter(); break;
      case "formation": void table.selectFormation(); break;
      case "end": table.buttons.pushMain(); break;
      case "hide": table.counters = !table.counters; break;
      case "fan": this.#fan(); break;
      case "skip": table.skip(); break;
      case "escape": this.#escape(); break;
      case "step": this.#step(wanted.dx, wanted.dy); break;
      case "layer": {
        const layer = table.box?.layers[wanted.index];
        if (!layer) return false;
        table.layers.toggle(layer.name);
        break;
      }
      case "button": {
        const button = table.question?.buttons[wanted.index];
        if (!button) return false;
        table.buttons.push(button);
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
    table.announce(describePlace(table, next.number));
  }

  /** The next stack that can act; without one the next legal hex, else the next of our own stacks. */
  #next(back = false): void {
    const { table } = this;
    const question = table.question;
    const after = (list: string[], here: number) => list[here < 0 && back ? list.length - 1 : (here + (back ? -1 : 1) + list.length) % list.length];
    const hexes = Object.keys(question?.hexes ?? {}).filter((number) => table.board?.hex(number));
    let units = table.cancel ? [...(table.around.ready ?? [])] : Object.keys(question?.units ?? {});
    if (!units.length && hexes.length) {
      const next = after(hexes, hexes.indexOf(table.cursor ?? ""))!;
      table.goTo(next);
      table.point({ hex: next, unit: null });
      return table.announce(describePlace(table, next));
    }
    if (!units.length) units = Object.keys(table.shown?.units ?? {}).filter((name) => table.info(name)?.side === table.side && table.board?.hex(table.unit(name)?.at));
    units = this.#onePerStack(units);
    const here = table.unit(table.selected ?? "")?.at;
    const next = after(units, units.findIndex((name) => name === table.selected || (table.board?.hex(here) && table.unit(name)?.at === here)));
    if (!next) return;
    table.closeFan();
    table.select(next);
    const at = table.unit(next)?.at ?? "";
    if (table.board?.hex(at)) table.goTo(at);
    else table.cursor = null;
    table.point({ hex: table.cursor, unit: next });
    table.announce(describeUnit(table, next));
  }

  /** One unit for each location on the map where a click selects the stack; all units elsewhere. */
  #onePerStack(units: string[]): string[] {
    const { table } = this;
    const seen = new Set<string>();
    const question = table.question;
    return units.filter((name) => {
      const at = table.unit(name)?.at ?? "";
      if (!table.board?.hex(at) || !(table.cancel || (question && selectsStack(question, at, table.around)))) return true;
      return !seen.has(at) && seen.add(at);
    });
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
    table.announce(describeUnit(table, next));
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
    if (table.buttons.confirm) table.buttons.confirm = null;
    else if (table.refusal) table.refusal = null;
    else if (table.inquiry.kept) table.inquiry.forget();
    else if (table.fan?.asked) table.closeFan();
    else if (table.deselect()) table.closeFan();
    else if (table.fan) table.closeFan();
    else if (table.result.length) table.putAway();
    else if (table.buttons.pointedOut.size) table.buttons.pointedOut = new Set();
    else if (table.cursor) {
      table.cursor = null;
      table.clearHover();
    } else table.select(null);
  }
}
