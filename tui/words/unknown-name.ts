import { findNearest } from '../../shared/domain/nearest.ts';

/** Returns the message that a name is unknown. It suggests the most similar valid name, or lists all valid names. */
export function unknownNameText(what: string, name: string, validNames: readonly string[]): string {
  const suggestion = findNearest(name, validNames);
  const hint =
    suggestion !== undefined
      ? `did you mean ${suggestion}?`
      : validNames.length === 0
        ? 'there is none'
        : validNames.join(', ');
  return `there is no ${what} ${JSON.stringify(name)}: ${hint}`;
}
