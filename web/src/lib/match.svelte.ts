/** The state of one match in this browser, and the player's actions. */

import { api, Refused, type Seat } from "./api";
import { Buttons } from "./buttons.svelte";
import { Company } from "./company.svelte";
import { alike } from "./describe";
import { takeGame } from "./gamedata";
import { Board, wayTo } from "./geometry";
import { Inquiry } from "./inquiry.svelte";
import { keyFor, keysOf, remember } from "./keyring";
import { Live, type Line } from "./live";
import { MapLayers } from "./maplayers.svelte";
import { Pace } from "./pace";
import { classRank } from "./symbolclass";
import type { Fan, Hover } from "./pointing";
import { cancelOf, gathers, intend, isAmbiguous, isLegal, meansOther, onlySelects, selectsStack, whatOf, type Around, type Press } from "./press";
import { rulebooks } from "./rulebook.svelte";
import { asMade, isForced, isToldOf, resolved, toldSince } from "./told";
import type {
  BoxContents, CounterInfo, LogLine, OddsView, Question, Refusal, Said, SeatInfo, UnitView, View,
} from "./types";

export type { Confirm, Fan, Hover } from "./pointing";

const NOTHING: Hover = { hex: null, unit: null };
const BUTTON: Omit<Press, "hex" | "unit"> = { stack: false, only: false };
const NONE: ReadonlySet<string> = new Set();
const PENDING_AFTER = 180;
/** How many moves of the other side stay drawn. */
const FOLLOWED = 4;
/** How often a frozen match is polled: it has no live connection. */
const FROZEN_MS = 10_000;

export class MatchStore {
  box = $state.raw<BoxContents | null>(null);
  board = $state.raw<Board | null>(null);
  /** The present view as far as it has been shown. */
  view = $state.raw<View | null>(null);
  /** The moment of a replay, null in the present. */
  past = $state.raw<View | null>(null);
  seats = $state.raw<SeatInfo[]>([]);
  chat = $state.raw<Said[]>([]);
  line = $state<Line>("joining");
  /** Why the server refuses the connection, if it does. */
  barred = $state("");
  /** Whether our key no longer opens a seat: it was signed out on another device. */
  signedOut = $state(false);
  /** A rematch that was offered or has begun. */
  rematch = $state<string | null>(null);
  /** Whether the game is not installed on this server: only the log can be shown. */
  missing = $state(false);
  /** The sides that our key opens. */
  sides = $state.raw<string[]>([]);
  /** Views still to be shown. */
  waiting = $state(0);
  /** The click in progress, after a short delay: the response mostly comes sooner, and nothing flickers. */
  pending = $state<string | null>(null);
  /** The click in progress. Not reactive: what is drawn does not depend on it. */
  #sent: { name: string; over: Promise<void> } | null = null;
  refusal = $state.raw<Refusal | null>(null);
  /** The log lines of the last roll. */
  result = $state.raw<LogLine[]>([]);
  /** Whether the last roll is hidden with its phase. One in which the player took part stays until the next click. */
  #resultIsOld = true;
  /** The number of clicks at the player's last one. */
  #clickedAt = 0;
  /** The last decision with combat sheets, until the player decides again: a decision of the enemy may come before the roll. */
  #shownLast: Question | null = null;
  /** The combat of the last roll, as it was before. */
  fought = $state.raw<OddsView | null>(null);
  hover = $state.raw<Hover>(NOTHING);
  cursor = $state<string | null>(null);
  selected = $state<string | null>(null);
  fan = $state.raw<Fan | null>(null);
  /** Whether the pointer has not yet left the counter around which the fan opened: a click still means the whole stack. */
  anchored = $state(false);
  /** What is being dragged from where, and where the pointer is on the screen. */
  drag = $state.raw<{ unit: string; from: string; x: number; y: number } | null>(null);
  counters = $state(true);
  readonly buttons = new Buttons(this);
  readonly layers = new MapLayers(this);
  readonly inquiry = new Inquiry(this);
  readonly company = new Company((text) => this.announce(text));
  /** The last moves of the other side, from where to where. */
  trails = $state.raw<[string, string][]>([]);
  /** What a screen reader is to say. */
  spoken = $state("");
  /** How often the tray was requested. */
  trayShown = $state(0);
  /** The requested location of the map, or to follow the other side for a while; each request is a new object. */
  wish = $state.raw<{ at: string; following?: boolean } | { fit: string[] } | null>(null);

  shown = $derived(this.past ?? this.view);
  side = $derived(this.view?.viewer ?? null);
  asked = $derived(this.view?.question?.side ?? null);
  mine = $derived(this.asked === this.side && this.#ours(this.side));
  /** The drawn decision: it stays while a click is in progress, so that nothing flickers. */
  drawn = $derived<Question | null>(this.mine && !this.past && !this.waiting ? this.view!.question : null);
  /** The other seat of ours that must decide: the screen is to be handed over. */
  handOver = $derived(
    !this.past && !this.waiting && this.asked && this.#ours(this.side) && this.asked !== this.side && this.#ours(this.asked) ? this.asked : null,
  );
  /** Whether nothing may be shown before it is. Until the game's data are loaded that is not known. */
  curtain = $derived(!!this.handOver && (this.box?.secrets ?? true));
  stacks = $derived.by(() => this.#stack(this.shown?.units ?? {}));
  about = $derived(new Set(this.drawn?.about ?? []));
  /** The location whose stack is fanned out. */
  fanned = $derived(this.fan?.at ?? null);
  /** The button that drops the selection; null if nothing is selected. */
  cancel = $derived(cancelOf(this.drawn));
  /** The units that a click would select now: shown before the click. */
  aimed = $derived.by(() => {
    const question = this.drawn;
    const { hex, unit } = this.hover;
    // In a combat the rim says who is in it.
    if (!question || !hex || !unit || this.cancel || question.kind === "combat.attackers") return NONE;
    const whole = this.isStackMeant(hex) && this.unitsAt(hex).length > 1 && selectsStack(question, hex, this.around);
    if (!whole) return new Set(unit in question.units ? [unit] : []);
    const legal = this.unitsAt(hex).filter((name) => name in question.units);
    // Supply and markers do not move with combat units.
    const best = Math.max(...legal.map((name) => classRank(this.info(name)?.sidc)));
    return new Set(legal.filter((name) => best < 2 || classRank(this.info(name)?.sidc) >= 2));
  });
  /** The path to the hovered location, if it is within reach. */
  way = $derived.by(() => {
    const reach = this.drawn?.reach ?? {};
    const target = this.hover.hex ?? this.cursor;
    return target && reach[target] ? wayTo(reach, target) : [];
  });

  readonly #live: Live;
  readonly #pace: Pace;
  #infos = new Map<string, CounterInfo>();
  #lastStacks = new Map<string, readonly string[]>();
  #askedSeats = false;
  /** The units that could be selected at the last decision without a selection, and its phase. */
  #ready: { phase: string; units: ReadonlySet<string> } | null = null;
  #thawing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly id: string,
    readonly key: string | null = keyFor(id),
  ) {
    this.sides = sidesOf(id, key);
    this.#pace = new Pace((view) => this.#show(view), (count) => (this.waiting = count));
    this.#live = new Live(id, key, null, {
      whole: (view, chat, seats, rematch) => {
        this.chat = chat;
        this.seats = seats;
        this.rematch = rematch;
        this.#known(view);
        this.#pace.jump(view);
      },
      change: (view, own) => {
        this.#pace.add(view, own);
        if (document.hidden) this.#pace.skip();
      },
      seats: (seats, rematch) => {
        if (rematch && rematch !== this.rematch) this.announce("A rematch is offered.");
        this.rematch = rematch;
        this.company.compare(this.seats, seats, this.sides);
        this.seats = seats;
      },
      said: (line) => {
        this.chat = [...this.chat.filter(({ number }) => number !== line.number), line];
        if (line.side !== this.side) this.announce(`${line.name || line.side || "Spectator"} says: ${line.text}`);
      },
      line: (line) => {
        if (line === "lost" && this.line === "open") this.announce("Connection lost. Reconnecting…");
        if (line === "open" && this.line === "lost") this.announce("Connected again.");
        this.line = line;
      },
      refused: (refusal) => {
        if (refusal.reason !== "frozen") return this.refuse(new Refused(refusal, 0));
        this.#live.close();
        void this.thaw();
      },
      barred: (reason) => {
        // A refused seat closes the connection only when our key stopped working.
        this.signedOut = this.refusal?.reason === "seat" && !!this.key;
        this.barred = this.refusal?.error || reason || "The server has no such match, or the key does not fit.";
        this.refusal = null;
      },
    });
  }

  /** Whether a side is a seat of ours. In a match that was opened or is over we may look from other sides too. */
  #ours(side: string | null): boolean {
    return side !== null && this.sides.includes(side);
  }

  /** The decision to click on: null while a click is in progress. */
  get question(): Question | null {
    return this.#sent ? null : this.drawn;
  }

  /** Whether a click is in progress. Not reactive. */
  get answering(): boolean {
    return this.#sent !== null;
  }

  /** The match and the key, as `api` takes them. */
  get seat(): Seat {
    return { id: this.id, key: this.key, side: this.side };
  }

  open(): () => void {
    this.#live.open();
    const hurry = () => this.#live.hurry();
    const catchUp = () => document.hidden && this.#pace.skip();
    addEventListener("online", hurry);
    document.addEventListener("visibilitychange", catchUp);
    return () => {
      removeEventListener("online", hurry);
      document.removeEventListener("visibilitychange", catchUp);
      clearTimeout(this.#thawing);
      this.inquiry.close();
      this.company.close();
      this.#live.close();
    };
  }

  /** Show a frozen match as it was; when it continues, connect again. */
  async thaw(): Promise<void> {
    clearTimeout(this.#thawing);
    try {
      const view = await api.view(this.seat);
      if (!view.frozen) return this.#live.open();
      this.line = "open";
      this.#known(view);
      this.#pace.jump(view);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!this.view) this.barred = error.message;
    }
    this.#thawing = setTimeout(() => void this.thaw(), FROZEN_MS);
  }

  /** The printed data of a counter; null if it is face down, because then it is not known which it is. */
  info(unit: string): CounterInfo | null {
    // What was drawn before the game was loaded is drawn again.
    return !this.box || this.unit(unit)?.back ? null : (this.#infos.get(unit) ?? null);
  }

  /** The name of a unit, a location or a button; a face-down piece has the text of its back. */
  called(name: string): string {
    return this.unit(name)?.back || this.info(name)?.full || name;
  }

  /** The same where space is short. */
  label(name: string): string {
    return this.unit(name)?.back || this.info(name)?.label || name;
  }

  unit(name: string): UnitView | null {
    return this.shown?.units[name] ?? null;
  }

  /** The units of a location, the lowest first. */
  unitsAt(place: string | null): readonly string[] {
    return (place && this.stacks.get(place)) || [];
  }

  /** Whether a unit, hex, box or button can be clicked now. */
  canClick(name: string): boolean {
    const question = this.question;
    return !!question && isLegal(question, name);
  }

  /** Click for the deciding side. An illegal click is explained, not sent; one that gives something up waits for a confirmation. */
  async click(name: string): Promise<void> {
    const question = this.question;
    if (!question) return;
    if (!isLegal(question, name)) return this.inquiry.explain(name);
    const warning = question.warnings[name];
    if (!warning) return this.send(name);
    this.buttons.askFirst(name, question.buttons.find(({ click }) => click === name)?.caption ?? this.called(name), warning);
  }

  /** Send a legal click. */
  async send(name: string): Promise<void> {
    const question = this.question;
    if (question) await this.#act(name, () => this.#live.click(question.number, name, this.side));
  }

  /** Undo a move of this phase; by default the last. */
  async undo(move: number | null = null): Promise<void> {
    const question = this.question;
    if (!question?.moves.length) return;
    await this.#act("undo", () => this.#live.undo(question.number, move, this.side));
  }

  say(text: string): void {
    if (text.trim()) this.#live.say(text.trim());
  }

  /** Look from another seat that our key opens. */
  lookFrom(side: string): void {
    this.refusal = null;
    if (this.box?.secrets ?? true) this.putAway();
    this.leaveReplay();
    this.#live.lookFrom(side);
  }

  /** Show all queued views at once. */
  skip(): void {
    this.#pace.skip();
  }

  /** How fast other players' moves are shown: 1 normal, 0 at once. */
  set speed(speed: number) {
    this.#pace.speed = speed;
  }

  select(unit: string | null): void {
    this.selected = unit;
  }

  /** Bring a location to the middle of the map, and the cursor to it. */
  goTo(place: string): void {
    if (!this.board?.hex(place)) return;
    this.cursor = place;
    // What was pointed at before is not what the cursor is at now.
    if (this.hover.hex !== place) this.point({ hex: place, unit: null });
    this.wish = { at: place };
  }

  /** Open the rulebook at a section. */
  openRule(rule: string): void {
    rulebooks.show(rule, this.shown?.game);
  }

  /** Hide the last roll. */
  putAway(): void {
    this.result = [];
    this.fought = null;
  }

  announce(text: string): void {
    this.spoken = text;
  }

  async showMoment(click: number): Promise<void> {
    try {
      this.past = await api.at(this.seat, click);
      this.clearHover();
    } catch (error) {
      this.refuse(error);
    }
  }

  leaveReplay(): void {
    this.past = null;
  }

  clearHover(): void {
    this.point(NOTHING);
  }

  /** The pointer moved to something: request why it is illegal, or the combat that a click would make. */
  point(hover: Hover): void {
    if (hover.hex === this.hover.hex && hover.unit === this.hover.unit) return;
    this.hover = hover;
    const question = this.question;
    this.inquiry.point(question, question && this.#target(question, hover));
  }

  readonly around: Around = (() => {
    const table = this;
    return {
      unitsAt: (hex: string) => table.unitsAt(hex),
      at: (unit: string) => table.unit(unit)?.at ?? null,
      isOwn: (unit: string) => table.info(unit)?.side === table.side,
      get ready() {
        return table.#ready && table.#ready.phase === table.view?.phase ? table.#ready.units : null;
      },
    };
  })();

  /** Whether a press in a hex means its whole stack: its pile, the plate of its fan, or the counter around which that opened. Where units
   * are gathered, or some of the stack are selected, that counter is meant alone. */
  isStackMeant(hex: string | null): boolean {
    if (this.fanned !== hex || !this.hover.unit) return true;
    return this.anchored && !gathers(this.drawn) && !(this.cancel && this.unitsAt(hex).some((unit) => this.about.has(unit)));
  }

  /** Whether the hex under the pointer is a destination that could also be selected. */
  isAmbiguous(hex: string): boolean {
    return !!this.drawn && isAmbiguous(this.drawn, hex, this.around);
  }

  /** Whether a press would only select or deselect. */
  onlySelects(hover: Hover, how: Partial<Press> = {}): boolean {
    return !!this.question && onlySelects(this.question, { ...BUTTON, ...how, ...hover }, this.around);
  }

  /** What a click at the pointer does to a stack, or to one of its units, in words; empty where nothing of it is chosen. */
  clickText = $derived.by(() => {
    const { hover, drawn } = this;
    return drawn && hover.hex ? whatOf(drawn, { ...BUTTON, ...hover, stack: this.isStackMeant(hover.hex) }, this.around) : "";
  });

  /** What hovering requests: what a press would click, else what it would explain. */
  #target(question: Question, hover: Hover): string | null {
    const intent = intend(question, { ...BUTTON, ...hover, stack: this.isStackMeant(hover.hex) }, this.around);
    return intent.do === "click" || intent.do === "explain" ? intent.name : intent.do === "all" ? intent.names[0]! : null;
  }

  /** Press something on the map or in the tray. A conflicting selection is dropped first. */
  press(hover: Hover, how: Partial<Press> = {}): void | Promise<void> {
    return this.#press(hover, how);
  }

  async #press(hover: Hover, how: Partial<Press>): Promise<void> {
    this.refusal = null;
    if (hover.unit) this.select(hover.unit);
    const press = { ...BUTTON, ...how, ...hover };
    // A quick hand clicks the destination before the selection is confirmed.
    await this.#sent?.over;
    const question = this.question;
    if (!question) return;
    const intent = intend(question, press, this.around);
    if (intent.do === "click" && intent.name === this.cancel) this.select(null);
    if (intent.do === "click") return this.#clickPressed(intent.name, question, press);
    if (intent.do === "all") return this.#clickAll(intent.names);
    if (intent.do === "explain") return this.inquiry.explain(intent.name);
    if (intent.do !== "switch") return;
    await this.click(intent.cancel);
    const next = this.question;
    const then = next && intend(next, press, this.around);
    if (then?.do === "click") await this.#clickPressed(then.name, next!, press);
    else if (then?.do === "explain") await this.inquiry.explain(then.name);
  }

  /** Click what a press means. In a pile whose units cannot move together it is the one under the pointer. */
  async #clickPressed(name: string, before: Question, { hex, unit, stack }: Press): Promise<void> {
    await this.click(name);
    const after = this.question;
    if (!stack || name !== hex || !after || !meansOther(before, after, unit)) return;
    await this.click(cancelOf(after)!);
    if (this.question && unit in this.question.units) await this.click(unit);
  }

  /** Click units one after another, as long as each is legal when it comes to it: the next may not join after the one before. */
  async #clickAll(names: readonly string[]): Promise<void> {
    const kind = this.question?.kind;
    for (const name of names) {
      const question = this.question;
      if (question?.kind === kind && question && name in question.units) await this.send(name);
    }
  }

  /** Drop the selection; false if there is none. */
  deselect(): boolean {
    if (!this.question || !this.cancel) return false;
    this.select(null);
    void this.click(this.cancel);
    return true;
  }

  /** Select the whole formation of the selected unit, or of the unit at the cursor. */
  async selectFormation(): Promise<void> {
    const button = (): string | undefined => this.question?.buttons.find(({ click }) => click === FORMATION)?.click;
    if (!button() && !this.cancel) {
      const unit = [this.hover.unit, this.selected, ...this.unitsAt(this.cursor)].find((name) => name && this.question && name in this.question.units);
      if (unit) await this.click(unit);
    }
    const found = button();
    if (found) await this.click(found);
    else this.announce("No further unit of this formation can move along.");
  }

  /** Whether a unit can be selected by dragging it: a selection costs nothing. */
  canDrag(unit: string): boolean {
    const question = this.question;
    const at = this.unit(unit)?.at;
    if (!question || !at) return false;
    if (this.cancel) return this.about.has(unit) || !!this.around.ready?.has(unit);
    return unit in question.units && (selectsStack(question, at, this.around) || question.kind.startsWith("setup"));
  }

  /** Drop the selection on a hex: it moves there, or the tip says why not. */
  async drop(hex: string): Promise<void> {
    if (this.cancel) await this.click(hex);
  }

  /** Fan a stack out: around the counter under the pointer, or on request around its top. */
  openFan(at: string, under: { unit: string; depth: number } | null): void {
    if (alike(this, this.unitsAt(at)).length < 2) return;
    this.fan = { at, unit: under?.unit ?? null, depth: under?.depth ?? 0, asked: !under };
    this.anchored = !!under;
  }

  closeFan(): void {
    this.fan = null;
    this.anchored = false;
  }

  async #act(name: string, send: () => Promise<Refusal | null>): Promise<void> {
    let done = (): void => {};
    const act = { name, over: new Promise<void>((resolve) => (done = resolve)) };
    this.#sent = act;
    this.#resultIsOld = true;
    this.#clickedAt = this.view?.clicks ?? 0;
    const late = setTimeout(() => (this.pending = name), PENDING_AFTER);
    this.refusal = null;
    this.inquiry.why = null;
    const refusal = await send();
    clearTimeout(late);
    this.pending = null;
    if (this.#sent === act) this.#sent = null;
    done();
    if (refusal) this.refuse(new Refused(refusal, 0));
  }

  /** Show a refusal of the server; rethrow another error. */
  refuse(error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    this.refusal = error.refusal;
    this.announce(error.refusal.error);
  }

  /** The first data of the match arrived: fetch the constant data of its game. */
  #known(view: View): void {
    const anySide = view.opened || view.result !== null;
    if (this.key && view.viewer && !anySide && !this.sides.includes(view.viewer)) this.#hold(view.viewer);
    if (!this.#askedSeats && !view.frozen) void this.#whichSeats();
    if (this.box?.id === view.game) return;
    rulebooks.game = view.game;
    void takeGame(view.game).then(
      ([box, board]) => {
        this.#infos = new Map(box.counters.map((counter) => [counter.name, counter]));
        this.box = box;
        this.board = new Board(board);
      },
      (error: unknown) => {
        if (error instanceof Refused && error.status === 404 && view.frozen) this.missing = true;
        else this.barred = error instanceof Refused ? error.refusal.error : String(error);
      },
    );
  }

  /** The key of a link may open more than one seat. */
  async #whichSeats(): Promise<void> {
    if (!this.key) return;
    this.#askedSeats = true;
    try {
      const { mine } = await api.info({ id: this.id, key: this.key });
      for (const side of mine ?? []) if (!this.sides.includes(side)) this.#hold(side);
    } catch {
      // The view shows one seat; the others are requested when the match is next opened.
      this.#askedSeats = false;
    }
  }

  #hold(side: string): void {
    this.sides = [...this.sides, side];
    remember(this.id, { [side]: this.key! });
  }

  #show(view: View): void {
    const before = this.view;
    const clicked = this.#sent?.name ?? null;
    this.view = view;
    // The next decision is here: it can be clicked before the response to the last click has arrived.
    if (before?.question?.number !== view.question?.number) this.#sent = null;
    this.#remember(view);
    if (before?.question?.number !== view.question?.number || before?.viewer !== view.viewer) {
      this.buttons.confirm = null;
      this.inquiry.renew(view.question?.side === view.viewer ? view.question : null);
    }
    if (before && before.viewer === view.viewer) {
      if (before.question?.sheets.length) this.#shownLast = before.question;
      const lines = view.log.slice(Math.max(0, before.log_from + before.log.length - view.log_from));
      const story = toldSince(view.log, before.began);
      const fought = asMade(resolved(this.#shownLast, view.question, lines, clicked), view.made);
      // In the enemy's phase, what makes a decision ours is shown too.
      if (lines.length && (fought || story.some(({ roll }) => roll != null) || isForced(view))) {
        this.result = story;
        this.#resultIsOld = this.#clickedAt < before.began;
        this.fought = fought ?? (before.began < before.clicks && isToldOf(this.fought, story) ? this.fought : null);
      } else if (before.phase !== view.phase && this.#resultIsOld && (view.question?.side !== view.viewer || before.question?.side === view.viewer)) this.putAway();
      if (view.question?.side === view.viewer && before.question?.side === view.viewer && before.question.number !== view.question.number) this.trails = [];
      if (view.question?.side === view.viewer) this.#shownLast = null;
      if (lines.length) this.announce(lines.map(({ text }) => text).join(". "));
    } else if (!before && view.began < view.clicks) {
      // Opened in the middle of a combat: what was rolled in it.
      const story = toldSince(view.log, view.began);
      if (isForced(view) || story.some(({ roll }) => roll != null)) this.result = story;
    }
    const looked = this.selected ? view.units[this.selected] : undefined;
    if (looked?.back && looked.at !== before?.units[this.selected!]?.at) this.selected = null;
    const { hex, unit } = this.hover;
    if (unit && hex && view.units[unit]?.at !== hex) this.hover = { hex, unit: null };
    this.#follow(before, view);
    if (view.question && view.question.side === view.viewer && before?.question?.prompt !== view.question.prompt) {
      this.announce(`${view.question.side}: ${view.question.prompt}`);
    }
    this.layers.redraw();
  }

  /** Keep which units can be selected, for the time when a selection hides it. */
  #remember(view: View): void {
    const question = view.question;
    if (!question || question.side !== view.viewer) this.#ready = null;
    else if (!cancelOf(question) && Object.keys(question.units).length) this.#ready = { phase: view.phase, units: new Set(Object.keys(question.units)) };
    this.buttons.renew(view.phase);
  }

  /** Let the map follow what the other side moves. */
  #follow(before: View | null, view: View): void {
    if (!before || before.viewer !== view.viewer || before.units === view.units) return;
    const moves: [string, string][] = [];
    for (const name in view.units) {
      const [from, to] = [before.units[name]?.at, view.units[name]!.at];
      // Face-down pieces cannot be told apart: what seems to have moved may be another.
      if (view.units[name]!.back || before.units[name]?.back) continue;
      if (from && from !== to && this.info(name)?.side !== view.viewer && this.board?.hex(to)) moves.push([from, to]);
    }
    if (!moves.length || moves.length > FOLLOWED) return;
    this.trails = [...(before.phase === view.phase ? this.trails : []), ...moves].slice(-FOLLOWED);
    if (this.waiting) this.wish = { at: moves[0]![1], following: true };
  }

  /** The units of every location. A stack that did not change is the same array as before. */
  #stack(units: Record<string, UnitView>): Map<string, readonly string[]> {
    const stacks = new Map<string, string[]>();
    for (const name in units) {
      const at = units[name]!.at;
      const there = stacks.get(at);
      if (there) there.push(name);
      else stacks.set(at, [name]);
    }
    const last = this.#lastStacks;
    const next = new Map<string, readonly string[]>();
    for (const [at, names] of stacks) {
      const before = last.get(at);
      next.set(at, before && before.length === names.length && before.every((name, i) => name === names[i]) ? before : names);
    }
    return (this.#lastStacks = next);
  }
}

/** The button that selects a formation, in every game. */
const FORMATION = "formation";

/** The sides that a key is known to open. */
const sidesOf = (id: string, key: string | null): string[] =>
  Object.entries(keysOf(id)).filter(([side, one]) => side && one === key).map(([side]) => side);
