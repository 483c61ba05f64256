/**
 * The window on the map: where it stands, how near, and the gestures that move it.
 *
 * The sheet is laid out at one zoom (`laid`) and moved by a CSS transform alone, which costs no drawing. While a zoom is
 * under way the transform also scales it; when the hand rests the sheet is laid out anew at the zoom it has reached, so
 * that text and lines are sharp again.
 */

import { between, still } from "./dom.js";

const REST = 160;
const NEAREST = 3;
const TAP = 320;

export class View extends EventTarget {
  /** `frame` is the element that clips, `stages` are those that carry the sheet. */
  constructor(frame, stages) {
    super();
    this.frame = frame;
    this.stages = stages;
    [this.x, this.y, this.zoom, this.laid] = [0, 0, 1, 1];
    [this.width, this.height] = [1, 1];
    this.size = { width: frame.clientWidth || 1, height: frame.clientHeight || 1 };
    this.#listen();
  }

  /** Show a sheet of this size. */
  show(width, height) {
    this.stop();
    [this.width, this.height] = [width, height];
  }

  /** The zoom at which the whole sheet is in sight, with a little table around it. */
  get whole() {
    return 0.97 * Math.min(this.size.width / this.width, this.size.height / this.height);
  }

  get #least() {
    return Math.min(this.whole * 0.8, 0.5);
  }

  /** The pixel of the sheet under a point of the window. */
  toSheet(x, y) {
    return [(x - this.x) / this.zoom, (y - this.y) / this.zoom];
  }

  /** The pixel of the sheet in the middle of the window. */
  get centre() {
    return this.toSheet(this.size.width / 2, this.size.height / 2);
  }

  /** What of the sheet is in sight: left, top, width, height. */
  get sight() {
    const [left, top] = this.toSheet(0, 0);
    return { left, top, width: this.size.width / this.zoom, height: this.size.height / this.zoom };
  }

  /** Stand at once with a pixel of the sheet in the middle, or as near to it as shows no bare table. */
  stand(x, y, zoom = this.zoom) {
    this.stop();
    this.#place(...this.#onSheet(x, y, this.#held(zoom)), zoom);
    this.settle();
  }

  /** Go there smoothly. */
  fly(toX, toY, zoom = this.zoom) {
    const [x0, y0] = this.centre;
    const [z0, z1] = [this.zoom, this.#held(zoom)];
    const [x, y] = this.#onSheet(toX, toY, z1);
    const far = Math.hypot(x - x0, y - y0) * Math.min(z0, z1);
    const span = Math.max(this.size.width, this.size.height);
    if (still() || far > span * 12) return this.stand(x, y, zoom);
    this.#animate(between(200, 160 + far * 0.35, 600), (t) => {
      const z = z0 * (z1 / z0) ** t;
      // Places move evenly over the screen, not over the sheet, while the zoom changes.
      const part = Math.abs(z1 - z0) < 1e-6 ? t : (1 / z0 - 1 / z) / (1 / z0 - 1 / z1);
      this.#place(x0 + (x - x0) * part, y0 + (y - y0) * part, z);
    });
  }

  /** Zoom by a factor, keeping the point of the window where it is. */
  zoomBy(factor, x = this.size.width / 2, y = this.size.height / 2, smooth = true) {
    const z1 = this.#held((this.#goal ?? this.zoom) * factor);
    if (!smooth || still()) {
      this.stop();
      this.#zoomTo(z1, x, y);
      this.#restSoon();
      return;
    }
    const z0 = this.zoom;
    this.#animate(200, (t) => this.#zoomTo(z0 * (z1 / z0) ** t, x, y));
    this.#goal = z1;
  }

  /** Move by pixels of the window. */
  moveBy(dx, dy) {
    const [x, y] = this.centre;
    this.stop();
    this.#place(x - dx / this.zoom, y - dy / this.zoom, this.zoom);
    this.#restSoon();
  }

  /** Show the whole sheet. */
  fit() {
    this.fly(this.width / 2, this.height / 2, this.whole);
  }

  /** Bring a pixel of the sheet into sight if it is not well within it. */
  reveal(x, y) {
    const { left, top, width, height } = this.sight;
    const inside = Math.abs(x - left - width / 2) < width * 0.42 && Math.abs(y - top - height / 2) < height * 0.42;
    if (!inside) this.fly(x, y);
  }

  /** End whatever moves. */
  stop() {
    cancelAnimationFrame(this.#frame);
    this.#goal = null;
    this.#frame = 0;
  }

  /** Lay the sheet out at the zoom reached. */
  settle() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const dots = devicePixelRatio || 1;
    this.x = Math.round(this.x * dots) / dots;
    this.y = Math.round(this.y * dots) / dots;
    this.laid = this.zoom;
    this.dispatchEvent(new Event("rest"));
    this.#draw();
  }

  #frame = 0;
  #timer = 0;
  #goal = null;

  #held(zoom) {
    return between(this.#least, zoom, NEAREST);
  }

  /** The nearest middle at which the sheet covers the window, where it can. */
  #onSheet(x, y, zoom) {
    const along = (at, size, room) => (room / zoom > size ? size / 2 : between(room / zoom / 2, at, size - room / zoom / 2));
    return [along(x, this.width, this.size.width), along(y, this.height, this.size.height)];
  }

  #place(x, y, zoom) {
    this.zoom = this.#held(zoom);
    // The middle of the window stays on the sheet, so that it cannot be lost.
    this.x = this.size.width / 2 - between(0, x, this.width) * this.zoom;
    this.y = this.size.height / 2 - between(0, y, this.height) * this.zoom;
    this.#draw();
  }

  #zoomTo(zoom, x, y) {
    const [sx, sy] = this.toSheet(x, y);
    const half = [this.size.width / 2, this.size.height / 2];
    this.#place(sx + (half[0] - x) / zoom, sy + (half[1] - y) / zoom, zoom);
  }

  #animate(time, step) {
    this.stop();
    clearTimeout(this.#timer);
    let start = null;
    const tick = (now) => {
      start ??= now;
      const t = Math.min(1, (now - start) / time);
      step(1 - (1 - t) ** 3);
      if (t < 1) this.#frame = requestAnimationFrame(tick);
      else {
        this.#goal = null;
        this.settle();
      }
    };
    this.#frame = requestAnimationFrame(tick);
  }

  #restSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), REST);
  }

  #draw() {
    const scale = this.zoom / this.laid;
    const where = `translate3d(${this.x}px, ${this.y}px, 0)${Math.abs(scale - 1) < 1e-9 ? "" : ` scale(${scale})`}`;
    for (const stage of this.stages) stage.style.transform = where;
    this.dispatchEvent(new Event("move"));
  }

  #listen() {
    const { frame } = this;
    const hands = new Map();
    let [dragged, last, tapped] = [false, null, { time: -1e9, x: 0, y: 0 }];
    let track = [];
    const inFrame = (event) => {
      const box = frame.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top, time: event.timeStamp };
    };
    const grip = () => {
      const points = [...hands.values()];
      const x = points.reduce((sum, p) => sum + p.x, 0) / points.length;
      const y = points.reduce((sum, p) => sum + p.y, 0) / points.length;
      const span = points.length > 1 ? Math.hypot(points[0].x - points[1].x, points[0].y - points[1].y) : 0;
      return { x, y, span };
    };

    frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button > 1) return;
      if (event.button === 1) event.preventDefault();
      this.stop();
      clearTimeout(this.#timer);
      hands.set(event.pointerId, inFrame(event));
      try {
        frame.setPointerCapture(event.pointerId);
      } catch {
        /* The pointer may be gone already. */
      }
      dragged = hands.size > 1;
      last = { ...grip(), from: inFrame(event) };
      track = [];
    });

    frame.addEventListener("pointermove", (event) => {
      const point = inFrame(event);
      if (!hands.has(event.pointerId)) {
        if (event.pointerType !== "touch") this.#tell("hover", point);
        return;
      }
      hands.set(event.pointerId, point);
      const now = grip();
      if (!dragged) {
        const slack = event.pointerType === "mouse" ? 4 : 9;
        if (Math.hypot(point.x - last.from.x, point.y - last.from.y) < slack) return;
        dragged = true;
        frame.classList.add("dragging");
        this.#tell("grab", point);
      }
      const [sx, sy] = this.toSheet(last.x, last.y);
      const zoom = this.#held(now.span && last.span ? this.zoom * (now.span / last.span) : this.zoom);
      this.#place(sx + (this.size.width / 2 - now.x) / zoom, sy + (this.size.height / 2 - now.y) / zoom, zoom);
      last = { ...now, from: last.from };
      track.push({ x: now.x, y: now.y, time: point.time });
      if (track.length > 6) track.shift();
    });

    const release = (event) => {
      if (!hands.delete(event.pointerId)) return;
      if (hands.size) {
        last = { ...grip(), from: last.from };
        track = [];
        return;
      }
      frame.classList.remove("dragging");
      const point = inFrame(event);
      if (dragged) this.#glide(track, point);
      else if (event.type === "pointerup" && event.button === 0) {
        const again = point.time - tapped.time < TAP && Math.hypot(point.x - tapped.x, point.y - tapped.y) < 24;
        if (again) this.zoomBy(event.shiftKey ? 0.5 : 2, point.x, point.y);
        else {
          this.#tell("tap", point);
          this.#restSoon();
        }
        tapped = again ? { time: -1e9, x: 0, y: 0 } : point;
      } else this.#restSoon();
    };
    frame.addEventListener("pointerup", release);
    frame.addEventListener("pointercancel", release);
    frame.addEventListener("pointerleave", (event) => {
      if (!hands.size && event.pointerType !== "touch") this.#tell("leave", inFrame(event));
    });

    frame.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = inFrame(event);
      const unit = event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1;
      // A pinch on a touch pad arrives as a wheel with the control key and small steps.
      const step = between(-240, event.deltaY * unit, 240) * (event.ctrlKey ? 0.011 : 0.0022);
      const coarse = !event.ctrlKey && Math.abs(event.deltaY * unit) >= 60;
      this.zoomBy(Math.exp(-step), x, y, coarse);
    }, { passive: false });

    new ResizeObserver(() => {
      const box = frame.getBoundingClientRect();
      if (!box.width || !box.height) return;
      // What was under the left edge of the window stays there on the screen when a panel folds.
      const shift = this.#corner ? [this.#corner.x - box.left, this.#corner.y - box.top] : [0, 0];
      this.#corner = { x: box.left, y: box.top };
      this.x += shift[0];
      this.y += shift[1];
      this.size = { width: box.width, height: box.height };
      this.#place(...this.#onSheet(...this.centre, this.zoom), this.zoom);
      this.dispatchEvent(new Event("resize"));
      this.#restSoon();
    }).observe(frame);
  }

  #corner = null;

  #tell(type, point) {
    this.dispatchEvent(new CustomEvent(type, { detail: point }));
  }

  /** After a throw the map runs on a little and comes to rest. */
  #glide(track, point) {
    const first = track[0];
    const time = first ? point.time - first.time : 0;
    if (still() || !first || time < 5 || time > 200) return this.#restSoon();
    let [vx, vy] = [(point.x - first.x) / time, (point.y - first.y) / time];
    if (Math.hypot(vx, vy) < 0.15) return this.#restSoon();
    let before = null;
    const tick = (now) => {
      const step = before === null ? 16 : Math.min(now - before, 50);
      before = now;
      const [x, y] = this.centre;
      this.#place(x - (vx * step) / this.zoom, y - (vy * step) / this.zoom, this.zoom);
      const slow = Math.exp(-step / 220);
      [vx, vy] = [vx * slow, vy * slow];
      if (Math.hypot(vx, vy) > 0.03) this.#frame = requestAnimationFrame(tick);
      else this.settle();
    };
    this.#frame = requestAnimationFrame(tick);
  }
}
