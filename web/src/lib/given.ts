/** Links of seats that were made to be given away. They are kept apart from our own keys: to hold one is not to sit there. */

import { keep, recall } from "./remembered";

const PLACE = "given";

type Given = Record<string, Record<string, string>>;

/** Keep the key of a seat that a friend is to take, so that its link can be shown again. */
export function give(id: string, side: string, key: string): void {
  const given = recall<Given>(PLACE, {});
  keep(PLACE, { ...given, [id]: { ...given[id], [side]: key } });
}

/** Side -> key, for the seats of a game that were given away. */
export const givenOf = (id: string): Record<string, string> => recall<Given>(PLACE, {})[id] ?? {};
