import type { Change } from '../ports.ts';

/**
 * Encodes a change record, which holds the changes of one write, as `[count, change, change, ...]`. So the count can be
 * read without parsing the changes.
 */

export function serializeChanges(changes: readonly Change[]): string {
  return JSON.stringify([changes.length, ...changes]);
}

export function parseChanges(text: string): Change[] {
  const [, ...changes]: [number, ...Change[]] = JSON.parse(text);
  return changes;
}

/** Returns the number of changes in a stored change record. */
export function parseChangeCount(text: string): number {
  return Number.parseInt(text.slice('['.length), 10);
}
