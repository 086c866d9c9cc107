/** Whether a host name or address is one of the Subject Alternative Names, ignoring case. */
export function isNamed(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/**
 * Returns the error message for a CommonName that is not one of them (reference 9.3, 6.4.0: newer programs check
 * nothing else).
 */
export function unnamedProblem(commonName: string, names: readonly string[]): string {
  return `CommonName ${commonName} is not among its Subject Alternative Names (${names.join(', ') || 'there are none'})`;
}
