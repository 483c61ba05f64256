/** A study as an address: all that is chosen, so that a link plays the same games again. */

import { defaults } from "../../lib/seating";
import type { Changed, GameInfo, LabInfo, NewStudy } from "../../lib/types";

const PLAYER = "player.";
const OPTION = "set.";
const GAMES = 100;
/** How long the path of a change may be at least and at most, and its value at most. */
const PATH = [3, 200] as const;
const VALUE = 80;
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

/** A part of a link that could not be used: what it was to choose, and in words what was taken instead. */
export interface Unusable {
  field: keyof NewStudy | null;
  words: string;
}

/** The study that an address names; what it leaves out or names wrongly is as usual, and the latter is told. Null where no game can be played. */
export function studyOf(search: string, games: readonly GameInfo[], lab: LabInfo): { study: NewStudy; unusable: Unusable[] } | null {
  const words = new URLSearchParams(search);
  const unusable: Unusable[] = [];
  const tell = (field: Unusable["field"], text: string): void => void unusable.push({ field, words: text });

  const game = games.find(({ id }) => id === words.get("game")) ?? games[0];
  const scenario = game?.scenarios.find(({ name }) => name === words.get("scenario")) ?? game?.scenarios[0];
  if (!game || !scenario) return null;
  if (wrong(words.get("game"), [game.id])) tell("game", `The game “${words.get("game")}” is not known here; ${game.title} was taken.`);
  if (wrong(words.get("scenario"), [scenario.name])) tell("scenario", `${game.title} has no scenario “${words.get("scenario")}”; ${scenario.title} was taken.`);

  const known = lab.players[game.id] ?? [];
  const usual = USUAL.find((name) => known.includes(name)) ?? known[0] ?? "";
  const players = Object.fromEntries(
    game.sides.map((side) => {
      const who = words.get(PLAYER + side) ?? usual;
      const [name, seed] = who.split(/:(.*)/s);
      if (known.includes(name!) && /^\d*$/.test(seed ?? "")) return [side, who];
      const why = known.includes(name!) ? "has no seed after its colon" : `does not know ${game.title}`;
      tell("players", `The player “${who}” of ${side} ${why}; ${usual} was taken.`);
      return [side, usual];
    }),
  );

  const options = defaults(scenario.options);
  for (const [name, values] of Object.entries(scenario.options)) {
    const value = words.get(OPTION + name);
    if (wrong(value, values)) tell("options", `The option ${name} cannot be “${value}”; ${options[name]} was taken.`);
    else if (value !== null) options[name] = value;
  }

  const changes: Changed[] = [];
  for (const text of words.getAll("change")) {
    const at = text.indexOf("=");
    const change = { path: text.slice(0, Math.max(0, at)), value: text.slice(at + 1) };
    const why = reason(change, scenario.options, changes, lab.changes);
    if (why) tell("changes", `The change “${text}” was left out: ${why}.`);
    else changes.push(change);
  }

  const whole = (name: "games" | "seed", least: number, most: number, usually: number): number => {
    const text = words.get(name);
    if (text === null) return usually;
    const value = /^\d{1,15}$/.test(text) ? Math.min(most, Math.max(least, Number(text))) : usually;
    const title = name === "games" ? "number of games" : "seed";
    if (Number(text) !== value || !text.trim()) tell(name, `The ${title} cannot be “${text}”, only a whole number from ${least} to ${most}; ${value} was taken.`);
    return value;
  };
  const study: NewStudy = {
    game: game.id, scenario: scenario.name, players, options, changes,
    games: whole("games", 1, lab.games, GAMES), seed: whole("seed", 0, Number.MAX_SAFE_INTEGER, 0),
  };

  const meant = new Set(["game", "scenario", "change", "games", "seed", ...game.sides.map((side) => PLAYER + side), ...Object.keys(options).map((name) => OPTION + name)]);
  for (const [name, value] of words) {
    if (!meant.has(name)) tell(null, `“${name}=${value}” means nothing in this scenario and was left out.`);
  }
  return { study, unusable };
}

/** Whether something is named that is none of these; to name nothing is not wrong. */
const wrong = (named: string | null, right: readonly string[]): boolean => named !== null && !right.includes(named);

/** Why a change cannot be made, in words; empty where it can. Whether its path reaches anything, only the server knows. */
function reason({ path, value }: Changed, options: Readonly<Record<string, readonly string[]>>, before: readonly Changed[], most: number): string {
  if (!path || !value) return "a change is written as path=value";
  if (path.length < PATH[0] || path.length > PATH[1] || value.length > VALUE) return "it is too long or too short to be one";
  if (before.some((other) => other.path === path)) return "the same is changed before it";
  if (before.length >= most) return `there may be ${most} changes at most`;
  const option = path.startsWith("option.") ? path.slice("option.".length) : null;
  if (option === null) return "";
  if (!options[option]) return `the scenario has no option ${option}`;
  return options[option].includes(value) ? "" : `the option can be ${options[option].join(" or ")}`;
}
