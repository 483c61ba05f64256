/** Things by what they have in common, in the order in which each kind first appears. */
export function grouped<Thing, Key>(things: Iterable<Thing>, by: (thing: Thing) => Key): Map<Key, Thing[]> {
  const groups = new Map<Key, Thing[]>();
  for (const thing of things) {
    const key = by(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}
