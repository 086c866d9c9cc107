import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAttributePath } from '../../../../shared/domain/attributes.ts';
import { evaluateExpression, parseExpression } from '../../../../shared/domain/expression/expression.ts';
import { METHOD_NAMES } from '../../../../shared/domain/expression/methods.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../../docs/expressions.md'), 'utf8');

/** The examples from the documents of Sensu Core, all of which must be in our documentation (completion 1.9). */
const PUBLIC = [
  "value == 1 || ':::action:::' == 'resolve'",
  'value % 60 != 0',
  "value.include?('dc-01')",
  '[1,2,3,4,5].include?(Time.at(value).wday) && Time.at(value).hour.between?(9,17)',
  'value > :::check.occurrences|60:::',
];

interface Example {
  readonly source: string;
  readonly value: unknown;
  readonly outcome: string;
}

function blocks(language: string): string[] {
  return [...DOCUMENT.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
}

/** The documented examples, from lines such as `value > 1   # 2 => true`: expression, value and result. */
const EXAMPLES: readonly Example[] = blocks('eval').flatMap((block) =>
  block
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, source, value, outcome] = /^(.*?) +# (.*) => (.*)$/.exec(line) ?? [];
      if (source === undefined || value === undefined || outcome === undefined) throw new Error(`no example: ${line}`);
      return { source, value: JSON.parse(value), outcome };
    }),
);

function outcomeOf({ source, value }: Example): string {
  const event = JSON.parse(blocks('json')[0] ?? '') as Readonly<Record<string, unknown>>;
  const expression = parseExpression(source);
  if (expression.kind === 'problem') return 'refused';
  const evaluation = evaluateExpression(expression, {
    value,
    token: (path) => readAttributePath(event, path),
    nowMs: Date.UTC(2026, 10, 20),
    zone: 'UTC',
  });
  switch (evaluation.kind) {
    case 'value':
      return JSON.stringify(evaluation.value);
    case 'error':
      return `error: ${evaluation.message}`;
    default:
      return `unmatched: ${evaluation.paths.join(', ')}`;
  }
}

const compact = (outcome: string): string =>
  /^(?:error|unmatched|refused)/.test(outcome) ? outcome : JSON.stringify(JSON.parse(outcome));

describe('the claims of docs/expressions.md', () => {
  test.each(EXAMPLES)('the documented expression $source of $value yields $outcome', (example) => {
    expect(outcomeOf(example)).toBe(compact(example.outcome));
  });

  test('docs/expressions.md contains every public example of Sensu', () => {
    expect(EXAMPLES.map(({ source }) => source)).toEqual(expect.arrayContaining(PUBLIC));
  });

  test('docs/expressions.md names every method of expressions', () => {
    const named = new Set([...DOCUMENT.matchAll(/`(\w+\??)(?:\([\w, ]+\))?`/g)].map(([, name]) => name));
    expect(METHOD_NAMES.filter((name) => !named.has(name))).toEqual([]);
  });

  test.each([
    { limit: 'characters', within: `'${'a'.repeat(1022)}'`, beyond: `'${'a'.repeat(1023)}'` },
    { limit: 'levels', within: `${'('.repeat(31)}1${')'.repeat(31)}`, beyond: `${'('.repeat(32)}1${')'.repeat(32)}` },
    { limit: 'operators and values', within: `1${'+1'.repeat(99)}`, beyond: `1${'+1'.repeat(100)}` },
    {
      limit: 'characters of a pattern',
      within: `value =~ /${'a'.repeat(256)}/`,
      beyond: `value =~ /${'a'.repeat(257)}/`,
    },
    { limit: 'elements of a pattern', within: 'value =~ /a{255}/', beyond: 'value =~ /(ab){200}/' },
  ])('the documented limit of $limit of an expression is enforced', ({ within, beyond }) => {
    expect(parseExpression(within).kind).toBe('expression');
    expect(parseExpression(beyond).kind).toBe('problem');
  });
});
