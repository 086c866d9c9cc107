/** What a check or hook says that could not run for want of attributes (reference 2.3; completion, Decisions). */
export function unmatchedText(paths: readonly string[]): string {
  return `Unmatched check token(s): ${paths.join(', ')}`;
}
