/** Whether a name or address is among the Subject Alternative Names of a certificate, ignoring case. */
export function isAlternativeName(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/**
 * Returns the error message for a certificate whose CommonName is not among its Subject Alternative Names. Newer
 * programs do not check the CommonName (reference 9.3, 6.4.0).
 */
export function unnamedProblem(commonName: string, names: readonly string[]): string {
  return `CommonName ${commonName} is not among its Subject Alternative Names (${names.join(', ') || 'there are none'})`;
}
