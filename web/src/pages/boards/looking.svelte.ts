/** A board without a match: the same map, where a click pins a hex. */

import { Board } from "../../lib/geometry";
import { HexFacts, type AreaOnBoard, type SideKind } from "../../lib/hexfacts";
import { MatchStore, type Hover } from "../../lib/match.svelte";
import type { BoardData, LayerView, View } from "../../lib/types";

/** The layer that outlines a line of the legend. */
const OUTLINE = "outline";

export class Looking extends MatchStore {
  readonly facts: HexFacts;
  /** The hex that is pinned in the panel. */
  pinned = $state<string | null>(null);
  /** The outlined line of the legend, by its name. */
  outlined = $state("");

  constructor(data: BoardData) {
    super("", null);
    const board = new Board(data);
    this.board = board;
    this.facts = new HexFacts(board);
    this.view = nothingOn(data.id);
    this.line = "open";
    this.layers.on.add(OUTLINE);
  }

  override press({ hex }: Hover): void {
    this.pin(hex === this.pinned ? null : hex);
  }

  /** Pin a hex, or unpin it. */
  pin(number: string | null): void {
    this.pinned = number;
    this.cursor = number;
    const hex = this.board?.hex(number);
    if (hex) this.announce(`${this.board!.name(hex.number)}, ${this.facts.sentence(hex)}`);
  }

  override goTo(place: string): void {
    super.goTo(place);
    if (this.board?.hex(place)) this.pin(place);
  }

  /** Outline hexes; the same name again removes the outline. */
  outline(name: string, numbers: readonly string[], go = false): void {
    const again = this.outlined === name;
    this.outlined = again ? "" : name;
    this.#draw(again ? [] : numbers, []);
    const first = numbers[Math.floor(numbers.length / 2)];
    if (go && !again && first) super.goTo(first);
    if (go) this.cursor = this.pinned;
  }

  outlineTerrain(name: string): void {
    this.outline(name, this.board!.hexes.filter((hex) => hex.terrain === name).map(({ number }) => number));
  }

  outlineArea(area: AreaOnBoard): void {
    this.outline(`${area.kind} ${area.name}`, area.hexes, true);
  }

  /** Outline a kind of hexside: a line if it crosses the hexside, else the hexes on both sides. */
  outlineKind(kind: SideKind): void {
    const sides = this.board!.data.sides.filter((side) => side.kind === kind.name);
    if (this.outlined === kind.name || !kind.across) return this.outline(kind.name, [...new Set(sides.flatMap(({ a, b }) => [a, b]))]);
    this.outlined = kind.name;
    this.#draw([], sides.map(({ a, b }) => [a, b]));
  }

  release(): void {
    this.outlined = "";
    this.#draw([], []);
  }

  #draw(numbers: readonly string[], paths: string[][]): void {
    const layer: LayerView = {
      name: OUTLINE, title: "", rule: "", notes: [],
      spots: numbers.map((at) => ({ at, tone: "own", label: "" })),
      lines: paths.map((path) => ({ path, tone: "own", text: "" })),
    };
    this.layers.views = { [OUTLINE]: layer };
  }
}

function nothingOn(game: string): View {
  return {
    id: "", version: 0, game, scenario: "", options: {}, viewer: null, clicks: 0, began: 0, made: [], turn: { number: 0, label: "", labels: [] },
    phase: "", phases: [], question: null, units: {}, marks: [], tracks: [], budget: [], objectives: [], log_from: 0, log: [], result: null,
    dice: { commitment: "", key: null, chosen: false, contributions: [] }, opened: false, frozen: null,
  };
}
