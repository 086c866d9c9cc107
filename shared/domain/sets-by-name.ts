/** Puts one of several under a name. */
export function addTo<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  if (items === undefined) sets.set(name, new Set([item]));
  else items.add(item);
}

/** Takes it away again; a name without any is gone. */
export function takeFrom<Item>(sets: Map<string, Set<Item>>, name: string, item: Item): void {
  const items = sets.get(name);
  items?.delete(item);
  if (items?.size === 0) sets.delete(name);
}
