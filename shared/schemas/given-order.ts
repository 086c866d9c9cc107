/**
 * What a schema has read, with its attributes in the order in which they were given, as the peer shows them: schemas put
 * those that they know first.
 */
export function inGivenOrder<Read extends object>(read: Read, given: object): Read {
  const order = Object.keys(given).filter((name) => Object.hasOwn(read, name));
  return { ...Object.fromEntries(order.map((name) => [name, undefined])), ...read };
}
