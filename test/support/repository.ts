import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the whole repository. */
export const REPOSITORY = join(import.meta.dirname, '../..');

/**
 * The text of every file of the repository that a pattern names, by its path from the top; what is built or installed is
 * not part of it.
 */
export function repositoryFiles(...patterns: readonly string[]): ReadonlyMap<string, string> {
  const names = globSync(patterns, { cwd: REPOSITORY, exclude: ['**/node_modules/**', '**/dist/**', 'build/**'] });
  return new Map(names.toSorted().map((name) => [name, repositoryText(name)]));
}

/** The text of one file of the repository, by its path from the top. */
export function repositoryText(name: string): string {
  return readFileSync(join(REPOSITORY, name), 'utf8');
}
