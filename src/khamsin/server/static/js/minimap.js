/** The overview in the corner: the whole board, and the window on it. */

import { el } from "./dom.js";

export class Minimap {
  constructor(element, view) {
    this.element = element;
    this.view = view;
    this.window = el("i", { class: "window" });
    this.canvas = el("canvas");
    element.append(this.canvas, this.window);
    let held = false;
    const go = (event) => {
      const box = this.canvas.getBoundingClientRect();
      this.view.stand(
        ((event.clientX - box.left) / box.width) * this.view.width,
        ((event.clientY - box.top) / box.height) * this.view.height,
      );
    };
    element.addEventListener("pointerdown", (event) => {
      held = true;
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
      go(event);
    });
    element.addEventListener("pointermove", (event) => held && go(event));
    for (const type of ["pointerup", "pointercancel"]) element.addEventListener(type, () => (held = false));
    view.addEventListener("move", () => this.follow());
    view.addEventListener("resize", () => this.shape());
  }

  /** Begin with a board, before its picture is there. */
  show() {
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.shape();
  }

  /** As wide or as high as the corner allows. */
  shape() {
    const { width, height } = this.view;
    const room = Math.min(this.view.size.width, this.view.size.height);
    const most = room < 700 ? 150 : room > 1100 ? 250 : 190;
    const scale = Math.min(most / width, (most * 0.85) / height);
    [this.wide, this.high] = [width * scale, height * scale];
    this.element.style.width = `${this.wide}px`;
    this.element.style.height = `${this.high}px`;
    this.follow();
  }

  /** Set the picture of the board. */
  picture(picture) {
    const dots = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.wide * dots);
    this.canvas.height = Math.round(this.high * dots);
    const pen = this.canvas.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(picture, 0, 0, this.canvas.width, this.canvas.height);
  }

  /** Move the window's rectangle. */
  follow() {
    if (!this.wide) return;
    const { left, top, width, height } = this.view.sight;
    const scale = this.wide / this.view.width;
    const x0 = Math.max(0, left * scale);
    const y0 = Math.max(0, top * scale);
    const x1 = Math.min(this.wide, (left + width) * scale);
    const y1 = Math.min(this.high, (top + height) * scale);
    this.window.style.transform = `translate(${x0}px, ${y0}px)`;
    this.window.style.width = `${Math.max(4, x1 - x0)}px`;
    this.window.style.height = `${Math.max(4, y1 - y0)}px`;
  }
}
