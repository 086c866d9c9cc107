import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The source files of all programs that users run. */
const SOURCES = globSync('{shared,daemon,tui}/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));

function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

/**
 * Files that build patterns only from their own constants; `re2-syntax.ts` also inserts the letters of a property name.
 */
const MADE_PATTERNS = [
  'shared/domain/expression/re2-syntax.ts',
  'shared/domain/matcher-selector.ts',
  'shared/domain/redact.ts',
  'shared/domain/time-text.ts',
  'shared/domain/v2/token-template.ts',
  'shared/schemas/on-call.ts',
  'shared/schemas/parse-duration.ts',
  'tui/terminal/key-decoder.ts',
];

test('no source file builds a regular expression from a text from outside (security S11)', () => {
  expect(SOURCES.length).toBeGreaterThan(200);
  expect(filesWith(/\bRegExp\(/).toSorted()).toEqual(MADE_PATTERNS);
});

test.each<[what: string, pattern: RegExp]>([
  ['eval', /\beval\(/],
  ['Function', /\bnew Function\b|\bFunction\(/],
  ['vm', /['"](?:node:)?vm['"]/],
  ['a dynamic import of a computed name', /\bimport\((?!'[^']+'\))/],
])('no source file evaluates a text as code with %s (S12)', (_, pattern) => {
  expect(filesWith(pattern)).toEqual([]);
});
