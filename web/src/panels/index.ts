/** The panels next to the map, in order. */

import type { Component } from "svelte";
import type { MatchStore } from "../lib/match.svelte";
import Boxes from "./Boxes.svelte";
import Budget from "./Budget.svelte";
import Calendar from "./Calendar.svelte";
import Charts from "./Charts.svelte";
import Dice from "./Dice.svelte";
import Forces from "./Forces.svelte";
import Glossary from "./Glossary.svelte";
import Journal from "./Journal.svelte";
import Moves from "./Moves.svelte";
import Objectives from "./Objectives.svelte";
import Orders from "./Orders.svelte";
import Reasons from "./Reasons.svelte";
import Selected from "./Selected.svelte";
import Sequence from "./Sequence.svelte";
import Talk from "./Talk.svelte";
import Tracks from "./Tracks.svelte";
import Turns from "./Turns.svelte";

/** The props of every panel. */
export type PanelProps = { table: MatchStore };

export interface Panel {
  id: string;
  /** Its heading and the name of its tab. */
  title: string;
  component: Component<PanelProps>;
  /** Whether it is folded until the player opens it. */
  folded?: boolean;
  /** Whether it has anything to say in this match. */
  wanted?: (table: MatchStore) => boolean;
}

const sequence: Panel = { id: "sequence", title: "Sequence of play", component: Sequence };
const turns: Panel = { id: "turns", title: "Turn", component: Turns };
const selected: Panel = { id: "selected", title: "Selected", component: Selected };
const moves: Panel = { id: "moves", title: "Undo", component: Moves };
const calendar: Panel = { id: "calendar", title: "Arrivals", component: Calendar };
const objectives: Panel = { id: "objectives", title: "Objectives", component: Objectives };
const budget: Panel = { id: "budget", title: "Supply", component: Budget, wanted: ({ shown }) => !!shown?.budget.length };
const tracks: Panel = { id: "tracks", title: "Tracks", component: Tracks };
const journal: Panel = { id: "journal", title: "Log", component: Journal };
const boxes: Panel = { id: "boxes", title: "Boxes", component: Boxes };
const forces: Panel = { id: "forces", title: "Forces", component: Forces, folded: true };
const charts: Panel = { id: "charts", title: "Tables", component: Charts, folded: true };
const terms: Panel = { id: "terms", title: "Terms", component: Glossary, wanted: ({ box }) => !!box?.glossary?.length };
const orders: Panel = { id: "orders", title: "Orders", component: Orders, wanted: ({ side, sides }) => !!side && sides.includes(side) };
const talk: Panel = { id: "talk", title: "Chat", component: Talk };
const reasons: Panel = { id: "reasons", title: "Reasons", component: Reasons, wanted: ({ seats }) => seats.some(({ who }) => who !== "person" && who !== "open") };
const dice: Panel = { id: "dice", title: "Dice", component: Dice, folded: true };

export const left: Panel[] = [sequence, turns, selected, moves, budget, objectives, tracks, calendar, dice];
export const right: Panel[] = [journal, boxes, forces, charts, terms, orders, talk, reasons];

/** The panels of a replay. */
export const replayLeft: Panel[] = [sequence, turns, objectives, tracks, selected];
export const replayRight: Panel[] = [journal, forces, boxes, charts, reasons, dice];
