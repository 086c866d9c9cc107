import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root directory of the repository. */
export const REPOSITORY = join(import.meta.dirname, '../..');

/** Returns the text of every matching repository file by its path, without built or installed files. */
export function repositoryFiles(...patterns: readonly string[]): ReadonlyMap<string, string> {
  const names = globSync(patterns, { cwd: REPOSITORY, exclude: ['**/node_modules/**', '**/dist/**', 'build/**'] });
  return new Map(names.toSorted().map((name) => [name, repositoryText(name)]));
}

/** Returns the text of one repository file by its path. */
export function repositoryText(name: string): string {
  return readFileSync(join(REPOSITORY, name), 'utf8');
}
