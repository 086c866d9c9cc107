import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Every source file of what runs at a user's. */
const SOURCES = globSync('{shared,daemon,tui}/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));

function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

/**
 * Each of these is made of constants of its own file; `re2-syntax.ts` puts in the letters of the name of a property.
 */
const MADE_PATTERNS = [
  'shared/domain/expression/re2-syntax.ts',
  'shared/domain/matcher-selector.ts',
  'shared/domain/redact.ts',
  'shared/domain/v2/token-template.ts',
  'tui/terminal/key-decoder.ts',
];

test('no code makes a regular expression of a text from outside (security S11)', () => {
  expect(SOURCES.length).toBeGreaterThan(200);
  expect(filesWith(/\bRegExp\(/).toSorted()).toEqual(MADE_PATTERNS);
});

test.each<[what: string, pattern: RegExp]>([
  ['eval', /\beval\(/],
  ['Function', /\bnew Function\b|\bFunction\(/],
  ['vm', /['"](?:node:)?vm['"]/],
  ['imports of what is not written there', /\bimport\((?!'[^']+'\))/],
])('no text is evaluated as code: %s (S12)', (_, pattern) => {
  expect(filesWith(pattern)).toEqual([]);
});
