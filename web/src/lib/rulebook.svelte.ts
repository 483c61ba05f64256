/** The rulebooks, each fetched once, and the drawer that citations open. */

import { mount } from "svelte";
import { api } from "./api";
import type { Rulebook } from "./types";

class Rulebooks {
  /** The game of citations that name none. */
  game = $state("");
  /** The section shown in the drawer; null while it is closed. */
  section = $state<string | null>(null);

  #books = new Map<string, Promise<Rulebook>>();
  #drawer: Promise<unknown> | null = null;
  #from: Element | null = null;

  /** The rulebook of a game. */
  book(game: string): Promise<Rulebook> {
    let book = this.#books.get(game);
    if (!book) {
      book = api.rulebook(game);
      book.catch(() => this.#books.delete(game));
      this.#books.set(game, book);
    }
    return book;
  }

  /** Open the drawer at a section. */
  show(section: string, game = this.game): void {
    if (this.section === null) this.#from = document.activeElement;
    this.game = game;
    this.section = section;
    this.#drawer ??= import("../panels/RuleDrawer.svelte").then(({ default: Drawer }) => mount(Drawer, { target: document.body }));
  }

  /** Close it and give the focus back to where it came from. */
  close(): void {
    this.section = null;
    if (this.#from instanceof HTMLElement && this.#from.isConnected) this.#from.focus();
    this.#from = null;
  }
}

export const rulebooks = new Rulebooks();
