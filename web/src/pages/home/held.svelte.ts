/** The matches of this browser and of the account; those waiting for the player come first. */

import { api, Refused } from "../../lib/api";
import { forget, gamesHeld, keysOf } from "../../lib/keyring";
import { awaitedSides } from "../../lib/lobby.svelte";
import { me } from "../../lib/me.svelte";
import type { Lobby, MatchInfo } from "../../lib/types";

/** Number of this browser's matches that are looked up. */
const LATEST = 24;

/** A match in the list, and the player's sides in it. */
export interface Held {
  info: MatchInfo;
  mine: string[];
  /** Whether the account holds the seat, not only this browser. */
  kept: boolean;
  /** Whether it is my turn. */
  waits: boolean;
}

export class HeldGames {
  games = $state.raw<Held[]>([]);
  ready = $state(false);

  /** Look up each match. One that no longer exists, or that this device was signed out of, is dropped. */
  async load(): Promise<void> {
    await me.load();
    const account = me.name ? (await api.myGames().catch(() => ({ games: [] }))).games : [];
    const known = new Set(account.map(({ id }) => id));
    const ids = gamesHeld().filter((id) => !known.has(id)).slice(-LATEST);
    const local = await Promise.all(ids.map(lookUp));
    this.games = [...account, ...local.filter((info) => info !== null)].map(held).sort(order);
    this.ready = true;
  }

  /** Remove a match from this browser's list. */
  drop(id: string): void {
    forget(id);
    this.games = this.games.filter(({ info }) => info.id !== id);
  }
}

async function lookUp(id: string): Promise<MatchInfo | null> {
  const seat = { id, key: Object.values(keysOf(id))[0] ?? null };
  try {
    return await api.info(seat);
  } catch (error) {
    if (error instanceof Refused && error.refusal.reason === "waiting") return api.lobby(seat).then(waiting, () => null);
    if (error instanceof Refused && (error.status === 404 || error.refusal.reason === "seat")) forget(id);
    return null;
  }
}

/** The list entry of a match that has not begun. */
export function waiting(lobby: Lobby): MatchInfo {
  const { id, game, title, scenario, scenario_title, seats, mine, begun } = lobby;
  const phase = `Waiting for ${awaitedSides(lobby).join(" and ") || "the dice"}`;
  const nothing = { turn: 0, label: "", asked: null, result: null, started: "", changed: "", open_reasons: false };
  return { id, game, title, scenario, scenario_title, seats, mine, begun, phase, ...nothing };
}

function held(info: MatchInfo): Held {
  const ours = info.mine ?? [];
  const mine = [...new Set([...ours, ...Object.keys(keysOf(info.id)).filter(Boolean)])];
  return { info, mine, kept: me.name !== "" && ours.length > 0, waits: !info.result && info.asked !== null && mine.includes(info.asked) };
}

/** Order: waiting for the player, running, finished; the latest change first. */
export function order(a: Held, b: Held): number {
  const rank = (one: Held) => (one.waits ? 0 : one.info.result ? 2 : 1);
  return rank(a) - rank(b) || b.info.changed.localeCompare(a.info.changed);
}
