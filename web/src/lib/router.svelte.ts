/** The path and fragment of the page; links are followed without a reload. */

import { adopt } from "./keyring";
import { secretIn, type Secret } from "./links";

class Route {
  path = $state(location.pathname);
  hash = $state(location.hash);
  /** The secret of the link that was opened, until the match's page has taken it. */
  secret = $state.raw<Secret | null>(null);

  constructor() {
    this.#read();
    addEventListener("popstate", () => this.#read());
    addEventListener("hashchange", () => this.#read());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  /** Go to an address of this site. */
  go(address: string, { replace = false } = {}): void {
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.#read();
    if (!this.hash) scrollTo(0, 0);
  }

  /** The path's parts: `/game/abc` gives `["game", "abc"]`. */
  get parts(): string[] {
    return this.path.split("/").filter(Boolean).map(decodeURIComponent);
  }

  /** Take the secret of a match's link; it is used once. */
  takeSecret(id: string): Secret | null {
    const secret = this.secret?.id === id ? this.secret : null;
    if (secret) this.secret = null;
    return secret;
  }

  #read(): void {
    this.#hideSecret();
    this.path = location.pathname;
    this.hash = location.hash;
  }

  /** Take a secret out of the address bar before it is on a screenshot, in the history or in a bookmark. */
  #hideSecret(): void {
    const secret = secretIn(location);
    if (!secret) return;
    history.replaceState(null, "", location.pathname + location.search);
    if (secret.kind === "key") adopt(secret.id, secret.value);
    this.secret = secret;
  }

  #follow(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    this.go(link.pathname + link.search + link.hash);
  }
}

export const route = new Route();
