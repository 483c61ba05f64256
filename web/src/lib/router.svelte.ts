/** Where we are: the page's path and fragment, followed without loading the page anew. */

class Route {
  path = $state(location.pathname);
  hash = $state(location.hash);

  constructor() {
    addEventListener("popstate", () => this.#read());
    addEventListener("hashchange", () => this.#read());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  /** Go to an address of ours. */
  go(address: string, { replace = false } = {}): void {
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.#read();
    if (!this.hash) scrollTo(0, 0);
  }

  /** The path's parts: `/game/abc` gives `["game", "abc"]`. */
  get parts(): string[] {
    return this.path.split("/").filter(Boolean).map(decodeURIComponent);
  }

  #read(): void {
    this.path = location.pathname;
    this.hash = location.hash;
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
