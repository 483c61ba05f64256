/** Settings that outlive the page. A browser that keeps nothing is no reason to fail. */

/** What was kept under a name, or a default. */
export function recall<Kept>(name: string, otherwise: Kept): Kept {
  try {
    const kept = localStorage.getItem(`khamsin.${name}`);
    return kept === null ? otherwise : (JSON.parse(kept) as Kept);
  } catch {
    return otherwise;
  }
}

/** Keep a value. */
export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(`khamsin.${name}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse.
  }
}
