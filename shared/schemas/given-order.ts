/** Restores the submitted order of attributes in a parsed value, like the peer: schemas put known attributes first. */
export function inGivenOrder<Read extends object>(read: Read, given: object): Read {
  const order = Object.keys(given).filter((name) => Object.hasOwn(read, name));
  return { ...Object.fromEntries(order.map((name) => [name, undefined])), ...read };
}
