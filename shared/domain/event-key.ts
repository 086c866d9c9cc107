/** Key of an event row: no name can hold a slash. */
export function eventKey(client: string, check: string): string {
  return `${client}/${check}`;
}
