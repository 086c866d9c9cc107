/** Whether a host name or address stands among the Subject Alternative Names, compared without regard to case. */
export function isNamed(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** What is wrong with a CommonName that does not (reference 9.3, 6.4.0: newer programs look at nothing else). */
export function unnamedProblem(commonName: string, names: readonly string[]): string {
  return `CommonName ${commonName} is not among its Subject Alternative Names (${names.join(', ') || 'there are none'})`;
}
