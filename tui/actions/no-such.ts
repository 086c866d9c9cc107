import { nearest } from '../../shared/domain/nearest.ts';

/** Returns the message that a name is unknown, with the most similar or all known names. */
export function noSuch(what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const hint = meant !== undefined ? `did you mean ${meant}?` : known.length === 0 ? 'there is none' : known.join(', ');
  return `there is no ${what} ${JSON.stringify(name)}: ${hint}`;
}
