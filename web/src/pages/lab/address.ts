/** A study as an address: a link to it plays the same games again. */

import { defaults } from "../../lib/seating";
import type { Changed, GameInfo, LabInfo, NewStudy } from "../../lib/types";

const PLAYER = "player.";
const OPTION = "set.";
/** Enough for a first look in a minute or two. */
const GAMES = 20;
/** Minimum and maximum length of a change's path, maximum length of its value. */
const PATH = [3, 200] as const;
const VALUE = 80;
/** Default players of a study, in order of preference. */
const USUAL = ["normal", "scripted", "random"];

/** Of the players that know a game, the default one. */
export const usualOf = (known: readonly string[]): string => USUAL.find((name) => known.includes(name)) ?? known[0] ?? "";

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

/** A part of a link that could not be used: its field, and a text that says what is used instead. */
export interface Unusable {
  field: keyof NewStudy | null;
  words: string;
}

/** Return the study of an address. Missing parts have their defaults; wrong parts too, and are reported. Null if no game is playable. */
export function studyOf(search: string, games: readonly GameInfo[], lab: LabInfo): { study: NewStudy; unusable: Unusable[] } | null {
  const words = new URLSearchParams(search);
  const unusable: Unusable[] = [];
  const tell = (field: Unusable["field"], text: string): void => void unusable.push({ field, words: text });

  const game = games.find(({ id }) => id === words.get("game")) ?? games[0];
  const scenario = game?.scenarios.find(({ name }) => name === words.get("scenario")) ?? game?.scenarios[0];
  if (!game || !scenario) return null;
  if (wrong(words.get("game"), [game.id])) tell("game", `The game “${words.get("game")}” is not installed; using ${game.title}.`);
  if (wrong(words.get("scenario"), [scenario.name])) tell("scenario", `${game.title} has no scenario “${words.get("scenario")}”; using ${scenario.title}.`);

  const known = lab.players[game.id] ?? [];
  const usual = usualOf(known);
  const players = Object.fromEntries(
    game.sides.map((side) => {
      const who = words.get(PLAYER + side) ?? usual;
      const [name, seed] = who.split(/:(.*)/s);
      if (known.includes(name!) && /^\d*$/.test(seed ?? "")) return [side, who];
      const why = known.includes(name!) ? "has no valid seed after the colon" : `cannot play ${game.title}`;
      tell("players", `The player “${who}” of ${side} ${why}; using ${usual}.`);
      return [side, usual];
    }),
  );

  const options = defaults(scenario.options);
  for (const [name, values] of Object.entries(scenario.options)) {
    const value = words.get(OPTION + name);
    if (wrong(value, values)) tell("options", `The option ${name} cannot be “${value}”; using ${options[name]}.`);
    else if (value !== null) options[name] = value;
  }

  const changes: Changed[] = [];
  for (const text of words.getAll("change")) {
    const at = text.indexOf("=");
    const change = { path: text.slice(0, Math.max(0, at)), value: text.slice(at + 1) };
    const why = reason(change, scenario.options, changes, lab.changes);
    if (why) tell("changes", `The change “${text}” is ignored: ${why}.`);
    else changes.push(change);
  }

  const whole = (name: "games" | "seed", least: number, most: number, usually: number): number => {
    const text = words.get(name);
    if (text === null) return usually;
    const value = /^\d{1,15}$/.test(text) ? Math.min(most, Math.max(least, Number(text))) : usually;
    const title = name === "games" ? "number of games" : "seed";
    if (Number(text) !== value || !text.trim()) tell(name, `The ${title} must be a whole number from ${least} to ${most}, not “${text}”; using ${value}.`);
    return value;
  };
  const study: NewStudy = {
    game: game.id, scenario: scenario.name, players, options, changes,
    games: whole("games", 1, lab.games, GAMES), seed: whole("seed", 0, Number.MAX_SAFE_INTEGER, 0),
  };

  const meant = new Set(["game", "scenario", "change", "games", "seed", ...game.sides.map((side) => PLAYER + side), ...Object.keys(options).map((name) => OPTION + name)]);
  for (const [name, value] of words) {
    if (!meant.has(name)) tell(null, `“${name}=${value}” does not apply to this scenario and is ignored.`);
  }
  return { study, unusable };
}

/** Whether a value is given that is none of these. */
const wrong = (named: string | null, right: readonly string[]): boolean => named !== null && !right.includes(named);

/** Why a change is not possible; empty if it is. Only the server knows whether its path exists. */
function reason({ path, value }: Changed, options: Readonly<Record<string, readonly string[]>>, before: readonly Changed[], most: number): string {
  if (!path || !value) return "a change is written as path=value";
  if (path.length < PATH[0] || path.length > PATH[1] || value.length > VALUE) return "its path or value has the wrong length";
  if (before.some((other) => other.path === path)) return "an earlier change has the same path";
  if (before.length >= most) return `at most ${most} changes are possible`;
  const option = path.startsWith("option.") ? path.slice("option.".length) : null;
  if (option === null) return "";
  if (!options[option]) return `the scenario has no option ${option}`;
  return options[option].includes(value) ? "" : `the option can be ${options[option].join(" or ")}`;
}
