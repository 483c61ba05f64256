/** Values stored in this browser. If storage is not available, defaults apply. */

/** Return the stored value of a name, or a default. */
export function recall<Kept>(name: string, otherwise: Kept): Kept {
  try {
    const kept = localStorage.getItem(`khamsin.${name}`);
    return kept === null ? otherwise : (JSON.parse(kept) as Kept);
  } catch {
    return otherwise;
  }
}

/** Store a value. */
export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(`khamsin.${name}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse to store.
  }
}
