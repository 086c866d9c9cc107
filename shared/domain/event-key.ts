/** Returns the key of an event. It is unique because names cannot contain a slash. */
export function eventKey(client: string, check: string): string {
  return `${client}/${check}`;
}
