/** Compares texts by UTF-16 code units, so that the order does not depend on the locale of the host. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
