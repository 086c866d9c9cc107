/**
 * Returns the parsed object with its attributes in the submitted order, as Sensu does. Schemas put known attributes
 * first.
 */
export function inSubmittedOrder<Read extends object>(read: Read, original: object): Read {
  const order = Object.keys(original).filter((name) => Object.hasOwn(read, name));
  return { ...Object.fromEntries(order.map((name) => [name, undefined])), ...read };
}
