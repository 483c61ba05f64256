/** A study as an address: all that is chosen, so that a link plays the same games again. */

import { defaults } from "../../lib/seating";
import type { GameInfo, LabInfo, NewStudy } from "../../lib/types";

const PLAYER = "player.";
const OPTION = "set.";
const GAMES = 100;
/** The players of a study unless told, the better first. */
const USUAL = ["scripted", "random"];

/** The address of a study. */
export function addressOf({ game, scenario, players, options, changes, games, seed }: NewStudy): string {
  const words = new URLSearchParams({ game, scenario });
  for (const [side, who] of Object.entries(players)) words.append(PLAYER + side, who);
  for (const [name, value] of Object.entries(options)) words.append(OPTION + name, value);
  for (const { path, value } of changes) words.append("change", `${path}=${value}`);
  words.append("games", String(games));
  words.append("seed", String(seed));
  return `/lab?${words.toString()}`;
}

/** The study that an address names; what it leaves out or names wrongly is as usual. Null where no game can be played. */
export function studyOf(search: string, games: readonly GameInfo[], lab: LabInfo): NewStudy | null {
  const words = new URLSearchParams(search);
  const game = games.find(({ id }) => id === words.get("game")) ?? games[0];
  const scenario = game?.scenarios.find(({ name }) => name === words.get("scenario")) ?? game?.scenarios[0];
  if (!game || !scenario) return null;
  const known = lab.players[game.id] ?? [];
  const usual = USUAL.find((name) => known.includes(name)) ?? known[0] ?? "";
  const players = Object.fromEntries(
    game.sides.map((side) => {
      const who = words.get(PLAYER + side) ?? "";
      return [side, known.includes(who.split(":")[0]!) ? who : usual];
    }),
  );
  const options = defaults(scenario.options);
  for (const [name, values] of Object.entries(scenario.options)) {
    const value = words.get(OPTION + name);
    if (value !== null && values.includes(value)) options[name] = value;
  }
  const changes = words.getAll("change").slice(0, lab.changes).flatMap((text) => {
    const at = text.indexOf("=");
    return at > 0 && at < text.length - 1 ? [{ path: text.slice(0, at), value: text.slice(at + 1) }] : [];
  });
  const whole = (name: string, least: number, most: number, usually: number): number => {
    const text = words.get(name) ?? "";
    return /^\d{1,15}$/.test(text) ? Math.min(most, Math.max(least, Number(text))) : usually;
  };
  return {
    game: game.id, scenario: scenario.name, players, options, changes,
    games: whole("games", 1, lab.games, GAMES), seed: whole("seed", 0, Number.MAX_SAFE_INTEGER, 0),
  };
}
