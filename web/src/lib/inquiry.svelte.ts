/** Requests about the decision while the pointer moves: why something is illegal, and which combats a click would make. */

import { api } from "./api";
import type { MatchStore } from "./match.svelte";
import { isLegal } from "./press";
import { classRank } from "./symbolclass";
import type { OddsView, Question, Why } from "./types";

const ASK_AFTER = 150;
const MAX_EXCLUDED = 6;
/** The kind of decision at which a combat is declared, in every game. */
const ATTACKERS = "combat.attackers";

export class Inquiry {
  /** Why the hovered location or unit is illegal, once the response has arrived. */
  why = $state.raw<Why | null>(null);
  /** Whether a click requested the reason: then its card can be clicked too. A card of hovering lets clicks through. */
  kept = $state(false);
  /** The combats that a click on what is hovered would make. */
  foreseen = $state.raw<OddsView[]>([]);
  /** Own units next to the hexes that are attacked which may not join, each with the reason. */
  excluded = $state.raw<Why[]>([]);

  #whys = new Map<string, Why>();
  #sheets = new Map<string, OddsView[]>();
  #asking: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #excluding: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly table: MatchStore) {}

  /** The pointer moved to something else: `name` is what a press there would click or explain. */
  point(question: Question | null, name: string | null): void {
    this.why = null;
    this.kept = false;
    this.foreseen = [];
    this.#asking?.abort();
    clearTimeout(this.#timer);
    if (!question || !name) return;
    const known = this.#whys.get(key(question, name));
    const sheets = this.#sheets.get(key(question, name));
    if (known) this.why = known.open ? null : known;
    if (sheets) this.foreseen = sheets;
    if (!known && !sheets && this.#isWorthAsking(question, name)) this.#timer = setTimeout(() => void this.#ask(question, name), ASK_AFTER);
  }

  /** A click on something illegal: keep the reason on the screen. */
  async explain(name: string): Promise<void> {
    const question = this.table.question;
    if (!question) return;
    await this.#ask(question, name);
    const why = this.#whys.get(key(question, name));
    if (why && !why.open) {
      this.why = why;
      this.kept = true;
      this.table.announce(why.reason);
    }
  }

  /** Close the reason that a click requested. */
  forget(): void {
    this.why = null;
    this.kept = false;
  }

  /** The decision changed: responses about the last one no longer apply. */
  renew(question: Question | null): void {
    this.excluded = [];
    clearTimeout(this.#excluding);
    if (question?.kind === ATTACKERS) this.#excludeLater(question);
    this.#whys.clear();
    this.#sheets.clear();
    this.why = null;
    this.foreseen = [];
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#excluding);
    this.#asking?.abort();
  }

  /** Whether hovering requests the reason without a click. Not where only units or stacks are chosen: there a grey hex needs no reason. */
  #isWorthAsking(question: Question, name: string): boolean {
    const { table } = this;
    const own = table.info(name)?.side === table.side;
    if (isLegal(question, name) || own || question.about.length > 0) return true;
    return Object.keys(question.hexes).some((hex) => !table.unitsAt(hex).some((unit) => unit in question.units));
  }

  async #ask(question: Question, name: string): Promise<void> {
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    const current = () => !asking.signal.aborted && this.table.question?.number === question.number;
    try {
      if (isLegal(question, name)) {
        // A plain move has no sheet; a hint with words says that more than a move is at stake.
        if (name in question.reach && typeof question.hexes[name] !== "object") return;
        const sheets = await api.sheets(this.table.seat, name, asking.signal);
        this.#sheets.set(key(question, name), sheets);
        if (current()) this.foreseen = sheets;
      } else {
        const why = await api.why(this.table.seat, name, asking.signal);
        this.#whys.set(key(question, name), why);
        if (current()) this.why = why.open ? null : why;
      }
    } catch {
      // A missing response changes nothing; a click would show the refusal itself.
    }
  }

  #excludeLater(question: Question): void {
    this.#excluding = setTimeout(() => void this.#findExcluded(question), ASK_AFTER);
  }

  /** Request why units next to an attacked hex cannot join the combat under declaration. */
  async #findExcluded(question: Question): Promise<void> {
    const { table } = this;
    const board = table.board;
    if (!board) return this.#excludeLater(question);
    const targets = question.sheets.filter(({ attackers }) => attackers.some((unit) => question.about.includes(unit))).flatMap((sheet) => sheet.targets);
    const near = new Set(targets.flatMap((target) => (board.hex(target) ? board.neighbours(board.hex(target)!) : [])).map(({ number }) => number));
    const units = [...near].flatMap((hex) => table.unitsAt(hex)).filter((name) => {
      const sidc = table.info(name)?.sidc;
      return table.info(name)?.side === table.side && classRank(sidc) > 1 && !question.about.includes(name) && !(name in question.units);
    });
    const reasons: Why[] = [];
    try {
      for (const name of units.slice(0, MAX_EXCLUDED)) reasons.push(await api.why(table.seat, name));
    } catch {
      return; // hovering over the unit requests it again
    }
    if (table.view?.question?.number === question.number) this.excluded = reasons.filter(({ open }) => !open);
  }
}

const key = (question: Question, name: string): string => `${question.number} ${name}`;
