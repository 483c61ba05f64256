/** The keys of the seats that this browser holds. A key comes in the fragment of a link, or when a game is set up. */

const PLACE = "khamsin.keys";

/** Side -> key, for one game. The empty side is a key whose seats are not known yet. */
export type Keys = Record<string, string>;

function all(): Record<string, Keys> {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Record<string, Keys>;
  } catch {
    return {};
  }
}

function keep(rings: Record<string, Keys>): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(rings));
  } catch {
    // A browser that stores nothing still plays, by the link.
  }
}

/** The keys of a game. */
export const keysOf = (id: string): Keys => all()[id] ?? {};

/** Every game that this browser holds a key of, the latest last. */
export const gamesHeld = (): string[] => Object.keys(all());

/** Keep the keys of a game that was set up or opened. */
export function remember(id: string, keys: Keys): void {
  const { [id]: known = {}, ...others } = all();
  const ring = { ...known, ...keys };
  if (Object.keys(ring).some((side) => side)) delete ring[""];
  keep({ ...others, [id]: ring });
}

/** Throw the keys of a game away. */
export function forget(id: string): void {
  const { [id]: _, ...others } = all();
  keep(others);
}

/** The key in a link's fragment, or null: `#key=abc` gives `abc`. */
export const keyInHash = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, "")).get("key");

/** The link that takes a seat. */
export const linkTo = (id: string, key: string): string => `${location.origin}/game/${encodeURIComponent(id)}#key=${encodeURIComponent(key)}`;
