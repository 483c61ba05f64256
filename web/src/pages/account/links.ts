/** The one-time links that the server sends by mail: `/account#confirm=TOKEN` and `/account#reset=TOKEN`. */

export interface Link {
  kind: "confirm" | "reset";
  token: string;
}

/** The link in the fragment of an address, if there is one. */
export function linkInHash(hash: string): Link | null {
  const found = /^#(confirm|reset)=([\w-]+)$/.exec(hash);
  return found ? { kind: found[1] as Link["kind"], token: found[2]! } : null;
}
