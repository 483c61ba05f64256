/** Small things every module needs to make and move elements. */

const SVG = "http://www.w3.org/2000/svg";

/** The element with an id of the page. */
export const byId = (id) => document.getElementById(id);

/**
 * A new element: attributes from an object (functions become listeners, false and null are left out), then children.
 * Texts become text nodes, never markup.
 */
export function el(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

/** A new SVG element, made as `el` makes one. */
export function svg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Whether the reader asked for little motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Keep a value between two others. */
export const between = (low, value, high) => Math.min(Math.max(value, low), high);

/** A setting that outlives the page, or a default; a browser that keeps nothing is no reason to fail. */
export function recall(key, otherwise) {
  try {
    const kept = localStorage.getItem(`khamsin.${key}`);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch {
    return otherwise;
  }
}

/** Keep a setting. */
export function keep(key, value) {
  try {
    localStorage.setItem(`khamsin.${key}`, JSON.stringify(value));
  } catch {
    /* Private windows may refuse. */
  }
}
