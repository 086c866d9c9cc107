import type { Change } from '../ports.ts';

/** Change records are stored as `[count, change, change, ...]`: the count can be read without parsing the rest. */

export function serializeChanges(changes: readonly Change[]): string {
  return JSON.stringify([changes.length, ...changes]);
}

export function parseChanges(text: string): Change[] {
  const [, ...changes]: [number, ...Change[]] = JSON.parse(text);
  return changes;
}

/** Returns the number of changes in a record. */
export function parseChangeCount(text: string): number {
  return Number.parseInt(text.slice('['.length), 10);
}
