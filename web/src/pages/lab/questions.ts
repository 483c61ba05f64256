/** What a visitor can ask of the laboratory, and how sure its answers are. */

import type { GameInfo, NewStudy, PlayerInfo, ScenarioInfo } from "../../lib/types";

/** The 95 % interval of a share by Wilson, as the reports have it: `wins` of `games`. */
export function interval(wins: number, games: number): [number, number] {
  const z = 1.96;
  const share = wins / games;
  const middle = share + (z * z) / (2 * games);
  const half = z * Math.sqrt((share * (1 - share)) / games + (z * z) / (4 * games * games));
  const whole = 1 + (z * z) / games;
  return [Math.max(0, (middle - half) / whole), Math.min(1, (middle + half) / whole)];
}

/** The players to choose from: those with a description, which are one name for each. All of them where none has one. */
export function offered(known: readonly string[], described: readonly PlayerInfo[]): string[] {
  const found = described.map(({ name }) => name).filter((name) => known.includes(name));
  return found.length ? found : [...known];
}

/** A question, and the choices that answer it. */
export interface Idea {
  title: string;
  part: Partial<NewStudy>;
}

/** Questions to begin with, for any game. */
export function ideas(game: GameInfo, scenario: ScenarioInfo, names: readonly string[], usual: string): Idea[] {
  const all = (who: string): Record<string, string> => Object.fromEntries(game.sides.map((side) => [side, who]));
  const found: Idea[] = [{ title: "Who wins between equal players?", part: { players: all(usual), changes: [] } }];
  const [first, second] = game.sides;
  if (names.includes("easy") && usual !== "easy" && first && second) {
    found.push({ title: `How much does it help ${first} if ${second} plays easy?`, part: { players: { ...all(usual), [second]: "easy" }, changes: [] } });
  }
  const option = Object.entries(scenario.options).find(([, values]) => values.length > 1);
  if (option) {
    const [name, values] = option;
    found.push({ title: `What changes with ${name}: ${values[1]}?`, part: { players: all(usual), options: firsts(scenario), changes: [{ path: `option.${name}`, value: values[1]! }] } });
  }
  return found;
}

const firsts = ({ options }: ScenarioInfo): Record<string, string> => Object.fromEntries(Object.entries(options).map(([name, values]) => [name, values[0]!]));

/** How long the rest of a run takes at its present speed, in words; empty while that is unknown. */
export function timeLeft(finished: number, total: number, seconds: number): string {
  if (finished < 1 || finished >= total || seconds <= 0) return "";
  const left = ((total - finished) * seconds) / finished;
  if (left < 90) return `about ${Math.max(5, Math.ceil(left / 5) * 5)} seconds left`;
  if (left < 5400) return `about ${Math.round(left / 60)} minutes left`;
  return `about ${Math.round(left / 3600)} hours left`;
}

/** The whole number in a text, within its bounds, and what was changed about it; null if the text is not a number. */
export function bounded(text: string, least: number, most: number): { value: number | null; note: string } {
  const given = text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(given)) return { value: null, note: "Not a number: unchanged" };
  const value = Math.min(most, Math.max(least, Math.round(given)));
  if (value === given) return { value, note: "" };
  const why = given < least ? `At least ${least}` : given > most ? `At most ${most}` : "A whole number";
  return { value, note: `${why}: ${given} changed to ${value}` };
}
