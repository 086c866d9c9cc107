import { expect, test } from 'vitest';
import { PRINTED_PAGES, generatedPage } from '../../scripts/lib/printed-pages.ts';
import { shapeText } from '../../scripts/lib/shape-text.ts';
import { valueText } from '../../scripts/lib/value-text.ts';
import { repositoryText } from '../support/repository.ts';

test.each([...PRINTED_PAGES.keys()])(
  'the page %s is up to date with the programs (print it with `node scripts/print-pages.ts`)',
  async (page) => {
    expect(repositoryText(page)).toBe(await generatedPage(page));
  },
);

test('every setting in docs/settings.md has a description', () => {
  expect(repositoryText('docs/settings.md').match(/^\| `[^|]*\| +\|.*$/gm) ?? []).toEqual([]);
});

test.each([
  { schema: { type: 'integer' }, text: 'number' },
  { schema: { type: ['string', 'null'] }, text: 'string | null' },
  { schema: { enum: ['a', 'b'] }, text: "'a' | 'b'" },
  { schema: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, text: '(string | null)[]' },
  { schema: { type: 'object', additionalProperties: { type: 'string' } }, text: '{ [name: string]: string }' },
  {
    schema: { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
    text: "{ a: string; 'b-c'?: any }",
  },
])('a JSON schema is printed in the documentation as $text', ({ schema, text }) => {
  expect(shapeText(schema)).toBe(text);
});

test.each([
  { schema: { type: 'integer', minimum: 10, maximum: 100_000 }, text: '10 to 100,000' },
  { schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, text: 'from 1' },
  { schema: { enum: ['info', 'debug'] }, text: '`info`, `debug`' },
  { schema: { type: 'array', items: { type: 'string' } }, text: 'list of text' },
  { schema: { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'unlimited' }] }, text: 'from 0 or `unlimited`' },
])('the allowed values of a setting are printed in the documentation as $text', ({ schema, text }) => {
  expect(valueText(schema)).toBe(text);
});
