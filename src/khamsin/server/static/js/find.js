/** The search box: a hex number, a place or an area, and the way there. */

import { byId, el } from "./dom.js";

export class Find {
  /** `go` is called with what was chosen. */
  constructor(go) {
    this.go = go;
    this.box = byId("find-text");
    this.list = byId("find-list");
    this.found = [];
    this.chosen = -1;
    this.board = null;
    this.box.addEventListener("input", () => this.#look());
    this.box.addEventListener("focus", () => this.#look());
    this.box.addEventListener("blur", () => this.#close());
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = event.target.closest("[role=option]");
      if (item) this.#take(Number(item.dataset.index));
    });
  }

  /** Search this board from now on. */
  show(board) {
    this.board = board;
    this.box.value = "";
    this.#close();
  }

  /** Put the hand in the box. */
  open() {
    this.box.focus();
    this.box.select();
  }

  #look() {
    this.found = this.board?.find(this.box.value) ?? [];
    this.chosen = this.found.length ? 0 : -1;
    const none = this.box.value.trim() && !this.found.length;
    if (none) {
      this.list.replaceChildren(el("li", { class: "none" }, this.board ? `Nothing like that on the board of ${this.board.title}` : "The board is still being drawn"));
    } else {
      this.list.replaceChildren(...this.found.map((one, index) => el(
        "li",
        { role: "option", id: `found-${index}`, "data-index": index, "aria-selected": String(index === this.chosen) },
        el("b", {}, one.what), " ", el("span", {}, one.kind),
      )));
    }
    const open = Boolean(none || this.found.length);
    this.list.hidden = !open;
    this.box.setAttribute("aria-expanded", String(open));
    this.#point();
  }

  #point() {
    [...this.list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === this.chosen)));
    if (this.chosen >= 0) this.box.setAttribute("aria-activedescendant", `found-${this.chosen}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  #close() {
    this.list.hidden = true;
    this.box.setAttribute("aria-expanded", "false");
    this.box.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps && this.found.length) {
      event.preventDefault();
      this.chosen = (this.chosen + steps[event.key] + this.found.length) % this.found.length;
      this.#point();
    } else if (event.key === "Enter" && this.chosen >= 0) {
      event.preventDefault();
      this.#take(this.chosen);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.box.value = "";
      this.#close();
      byId("table").focus();
    }
    event.stopPropagation();
  }

  #take(index) {
    const one = this.found[index];
    this.box.value = "";
    this.#close();
    byId("table").focus();
    this.go(one);
  }
}
