/** Adds an item to the set of a name. */
export function addTo<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  if (items === undefined) sets.set(name, new Set([item]));
  else items.add(item);
}

/** Removes an item from the set of a name, and the name with its last item. */
export function takeFrom<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  items?.delete(item);
  if (items?.size === 0) sets.delete(name);
}
