import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface TextFile {
  readonly path: string;
  readonly text: string;
}

const read = (patterns: readonly string[]): readonly TextFile[] =>
  globSync(patterns, { cwd: ROOT })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const PROGRAMS = read(['{daemon,shared,tui}/**/*.{ts,tsx}']);
const CODE = [...PROGRAMS, ...read(['{scripts,test}/**/*.{ts,tsx}'])];
/** The pages for users. `docs/spec` is not included, because the specification has a vocabulary of its own. */
const PAGES = read(['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/{how-to,reference}/*.md']);

/** The allowed number of violations of each language rule. When a number falls, lower it here; it must never rise. */
const ALLOWED_VIOLATIONS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'language-left.json'), 'utf8'),
) as Readonly<Record<string, number>>;

/** The banned phrases: those that the glossary lists after *Not*. */
const BANNED = [...readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').matchAll(/_Not_: ([^.]+)\./g)].flatMap(
  ([, phrases = '']) => phrases.replaceAll(/\s+/g, ' ').split(', '),
);
const BANNED_PATTERN = new RegExp(String.raw`\b(?:${BANNED.join('|')})\b`, 'gi');

/** Returns the string literals of a program that contain at least two words; it may show, log or send them. */
function shownTexts({ text }: TextFile): readonly string[] {
  const shown: string[] = [];
  const take = (literal: string): string => {
    if (literal.includes(' ')) shown.push(literal);
    return '_';
  };
  let code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, '');
  // Template literals are replaced from the innermost outward, because one can only be matched when its expressions are
  // already replaced.
  for (let before = ''; before !== code;) {
    before = code;
    code = code.replaceAll(/\$\{[^{}`]*\}/g, '_').replaceAll(/`(?:[^`$\\]|\\.|\$(?!\{))*`/g, take);
  }
  code.replaceAll(/'(?:[^'\\\n]|\\.)*'/g, take);
  return shown;
}

/** Returns the prose of a page, without code, links and quotations. */
function prose({ path, text }: TextFile): string {
  if (path === 'docs/glossary.md') return text.replaceAll(/_Not_: [^.]+\./g, '');
  return text.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)|"[^"\n]*"/g, '');
}

/** Returns the number of lines of a page that are too long although they contain a space at which they can end. */
function wideLines({ text }: TextFile): number {
  const lines = text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '').split('\n');
  // Spaces in code and in links do not end a line.
  const joined = lines.map((line) =>
    line.replaceAll(/`[^`]*`|!?\[[^\]]*\]\([^)]*\)/g, (part) => part.replaceAll(' ', '_')),
  );
  return joined.filter(
    (line) =>
      line.length > 120 &&
      /^(?:[ >]|[-*] |\d+\. )*(?![-*] |\d+\. )\S+ /.test(line.slice(0, 121)) &&
      !/^[|#]/.test(line),
  ).length;
}

function countMatches(texts: readonly string[], pattern: RegExp): number {
  return texts.reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0);
}

/** Returns how many exported names of a kind are declared in more than one file of the programs. */
function declaredTwice(kind: RegExp): number {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of PROGRAMS) {
    for (const [, name = ''] of text.matchAll(kind)) files.set(name, (files.get(name) ?? new Set()).add(path));
  }
  return [...files.values()].filter(({ size }) => size > 1).length;
}

const HEADLESS = /\/\*\*\s+(?:\* )?(?:what|who|whom|whose|of|that|as|by|to|with|beside|nothing|nobody|from)\b/gi;
const codeTexts = CODE.map(({ text }) => text);

const COUNTS: Readonly<Record<string, () => number>> = {
  'banned words in texts of the programs': () => countMatches(PROGRAMS.flatMap(shownTexts), BANNED_PATTERN),
  'banned words in the documentation': () => countMatches(PAGES.map(prose), BANNED_PATTERN),
  'docstrings that begin with neither a noun nor a verb': () => countMatches(codeTexts, HEADLESS),
  'comment lines wider than 120 characters': () => countMatches(codeTexts, /^\s*(?:\/\/|\*|\/\*\*) .{118,}$/gm),
  'lines of prose wider than 120 characters in the documentation': () =>
    PAGES.reduce((sum, page) => sum + wideLines(page), 0),
  'tables wider than 200 characters': () =>
    countMatches(PAGES.map(({ text }) => text), /^\|(?: *:?-+:? *\|)+$(?<=^.{201,})/gm), // prettier-ignore
  'exported types that are declared in two files': () => declaredTwice(/^export (?:interface|type|class) (\w+)/gm),
  'exported functions that are declared in two files': () => declaredTwice(/^export (?:async )?function (\w+)/gm),
};

test('the banned phrases are read from the glossary', () => {
  expect(BANNED.length).toBeGreaterThan(20);
});

describe('the counts of violations of the language rules', () => {
  test.each(Object.entries(COUNTS))('the number of %s in the repository does not rise', (name, count) => {
    const left = ALLOWED_VIOLATIONS[name] ?? 0;
    const now = count();
    expect(now, `${name}: write in the words of docs/glossary.md`).toBeLessThanOrEqual(left);
    expect(now, `${name}: lower the number in language-left.json to ${String(now)}`).toBeGreaterThanOrEqual(left);
  });
});
