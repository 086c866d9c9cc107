/** Adds an item to the set that is stored under a name; creates the set if there is none. */
export function addToSet<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  if (items === undefined) sets.set(name, new Set([item]));
  else items.add(item);
}

/** Removes an item from the set that is stored under a name; removes the set too if it is then empty. */
export function removeFromSet<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  items?.delete(item);
  if (items?.size === 0) sets.delete(name);
}
