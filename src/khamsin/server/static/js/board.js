/** A board as the page knows it: hexes by number and by pixel, what joins them, and words for all of it. */

const POINTS = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];
const WORDS = {
  N: "north", NE: "north-east", E: "east", SE: "south-east",
  S: "south", SW: "south-west", W: "west", NW: "north-west",
};

/** The word for a compass point. */
export const compassWord = (point) => WORDS[point];

/** A text without accents and case, for comparing. */
export const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

export class Board {
  constructor(data) {
    Object.assign(this, data);
    this.byNumber = new Map(this.hexes.map((hex) => [hex.number, hex]));
    this.terrain = new Map(this.terrains.map((terrain) => [terrain.name, terrain]));
    this.kind = new Map(this.kinds.map((kind) => [kind.name, kind]));
    this.cells = new Map();
    for (const hex of this.hexes) {
      hex.features = [];
      hex.areas = [];
      const key = this.#cell(hex.x, hex.y);
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push(hex);
    }
    /** The six directions: where the neighbour lies from a centre, and the two corners of the side towards it. */
    this.directions = this.corners.map((corner, i) => {
      const next = this.corners[(i + 1) % 6];
      const [dx, dy] = [corner[0] + next[0], corner[1] + next[1]];
      const turn = (Math.atan2(-dy, dx) * 180) / Math.PI;
      // Slanted sides lie 30 or 60 degrees from the axis; both are called by the half wind.
      const straight = Math.abs(Math.round(turn / 90) * 90 - turn) < 5;
      const eighth = straight ? Math.round(turn / 90) * 2 : Math.floor(turn / 90) * 2 + 1;
      return { dx, dy, corner, next, point: POINTS[(eighth + 8) % 8] };
    });
    for (const side of this.sides) {
      const [a, b] = [this.byNumber.get(side.a), this.byNumber.get(side.b)];
      a.features.push({ side, to: b, direction: this.directionTo(a, b) });
      b.features.push({ side, to: a, direction: this.directionTo(b, a) });
    }
    for (const area of this.areas) {
      for (const number of area.hexes) this.byNumber.get(number)?.areas.push(area);
    }
    this.places = this.hexes.flatMap((hex) => hex.places.map((place) => ({ ...place, hex })));
    this.places.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name));
  }

  #cell(x, y) {
    return Math.floor(x / this.scale) + 4096 * Math.floor(y / this.scale);
  }

  /** The hex that holds a pixel of the sheet, or null. */
  at(x, y) {
    let best = null;
    let least = Infinity;
    for (let i = -1; i <= 1; i++) {
      for (let j = -1; j <= 1; j++) {
        for (const hex of this.cells.get(this.#cell(x + i * this.scale, y + j * this.scale)) ?? []) {
          const far = (hex.x - x) ** 2 + (hex.y - y) ** 2;
          if (far < least) [best, least] = [hex, far];
        }
      }
    }
    if (!best) return null;
    const reach = (this.scale * this.scale) / 2;
    const inside = this.directions.every(({ dx, dy }) => (x - best.x) * dx + (y - best.y) * dy <= reach + 1);
    return inside ? best : null;
  }

  /** The neighbour in a direction from 0 to 5, or null beyond the edge. */
  neighbour(hex, direction) {
    const { dx, dy } = this.directions[direction];
    return this.at(hex.x + dx, hex.y + dy);
  }

  /** The direction from a hex to its neighbour. */
  directionTo(from, to) {
    const along = this.directions.map(({ dx, dy }) => (to.x - from.x) * dx + (to.y - from.y) * dy);
    return along.indexOf(Math.max(...along));
  }

  /** One hex in one line, as the foot of the page and a screen reader say it. */
  sentence(hex) {
    const parts = [hex.terrain];
    const joined = new Map();
    for (const { side, direction } of hex.features) {
      if (!joined.has(side.kind)) joined.set(side.kind, new Set());
      joined.get(side.kind).add(this.directions[direction].point);
    }
    for (const [kind, points] of joined) parts.push(`${kind} ${[...points].join(", ")}`);
    return parts.join(" · ");
  }

  /** Latitude and longitude in words a navigator knows. */
  static position(hex) {
    const angle = (value, plus, minus) => {
      const minutes = Math.round(Math.abs(value) * 60);
      return `${Math.floor(minutes / 60)}°${String(minutes % 60).padStart(2, "0")}′ ${value < 0 ? minus : plus}`;
    };
    return `${angle(hex.lat, "N", "S")}, ${angle(hex.lon, "E", "W")}`;
  }

  /** Hexes, places and areas that answer a question, best first. */
  find(question, limit = 9) {
    const wanted = plain(question.trim());
    if (!wanted) return [];
    const found = [];
    const bare = (number) => plain(number).replace(/^[a-z]/, "");
    for (const hex of this.hexes) {
      const number = plain(hex.number);
      const rank = number === wanted ? 0 : number.startsWith(wanted) ? 4 : bare(hex.number).startsWith(wanted) ? 5 : -1;
      if (rank >= 0) found.push({ rank, order: number.length, hexes: [hex], what: hex.number, kind: hex.places[0]?.name ?? hex.terrain });
    }
    for (const place of this.places) {
      const rank = nearness(place.name, wanted);
      if (rank >= 0) {
        found.push({ rank, order: place.rank, hexes: [place.hex], what: place.name, kind: `${place.kind} · ${place.hex.number}` });
      }
    }
    for (const area of this.areas) {
      const rank = nearness(area.name, wanted);
      if (rank >= 0) {
        const hexes = area.hexes.map((number) => this.byNumber.get(number)).filter(Boolean);
        const many = hexes.length === 1 ? hexes[0].number : `${hexes.length} hexes`;
        if (hexes.length) found.push({ rank: rank + 0.5, order: 6, hexes, area, what: area.name, kind: `${area.kind} · ${many}` });
      }
    }
    found.sort((a, b) => a.rank - b.rank || a.order - b.order || a.what.localeCompare(b.what));
    return found.slice(0, limit);
  }
}

/** How well a name answers: 0 wholly, 1 from its start, 2 from the start of a word, 3 somewhere, -1 not. */
function nearness(name, wanted) {
  const text = plain(name);
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  const at = text.indexOf(wanted);
  if (at < 0) return -1;
  return /[\s'-]/.test(text[at - 1]) ? 2 : wanted.length > 2 ? 3 : -1;
}
