/** The keys of the seats that this browser holds. A key comes from a link, an account, or from setting a match up. */

import { forgetTokens } from "./links";
import { keep, recall } from "./remembered";

const PLACE = "keys";

/** Side -> key, for one match. The empty side is a key whose seats are not known yet. */
export type Keys = Record<string, string>;

const all = (): Record<string, Keys> => recall(PLACE, {});

/** The keys of a match. */
export const keysOf = (id: string): Keys => all()[id] ?? {};

/** Every match that this browser holds a key of, the latest last. */
export const gamesHeld = (): string[] => Object.keys(all());

/** Keep the keys of a match. */
export function remember(id: string, keys: Keys): void {
  const { [id]: known = {}, ...others } = all();
  const ring = { ...known, ...keys };
  if (Object.keys(ring).some((side) => side)) delete ring[""];
  keep(PLACE, { ...others, [id]: ring });
}

/** Delete the keys of a match. */
export function forget(id: string): void {
  const { [id]: _, ...others } = all();
  keep(PLACE, others);
  forgetTokens(id);
  try {
    sessionStorage.removeItem(tab(id));
  } catch {
    // A browser without storage has nothing to forget.
  }
}

/** Let this tab use a key. Another tab of the same browser may use another. */
export function adopt(id: string, key: string, sides: readonly string[] = []): void {
  try {
    sessionStorage.setItem(tab(id), key);
  } catch {
    // A browser that stores nothing plays until the page is closed.
  }
  if (sides.length) remember(id, Object.fromEntries(sides.map((side) => [side, key])));
  else if (!Object.values(keysOf(id)).includes(key)) remember(id, { "": key });
}

/** The key for a match: that of this tab, or one that was kept. */
export function keyFor(id: string): string | null {
  try {
    const own = sessionStorage.getItem(tab(id));
    if (own) return own;
  } catch {
    // Without storage there is no key of this tab.
  }
  return Object.values(keysOf(id))[0] ?? null;
}

const tab = (id: string): string => `khamsin.seat.${id}`;
