import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path of the root directory of the repository. */
export const REPOSITORY = join(import.meta.dirname, '../..');

/**
 * Returns the texts of all repository files that match the patterns, by path. Built and installed files are excluded.
 */
export function repositoryFiles(...patterns: readonly string[]): ReadonlyMap<string, string> {
  const names = globSync(patterns, { cwd: REPOSITORY, exclude: ['**/node_modules/**', '**/dist/**', 'build/**'] });
  return new Map(names.toSorted().map((name) => [name, repositoryText(name)]));
}

/** Returns the text of a repository file, given its path from the root directory. */
export function repositoryText(name: string): string {
  return readFileSync(join(REPOSITORY, name), 'utf8');
}
