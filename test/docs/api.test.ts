import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { apiPage } from '../../scripts/lib/api-page.ts';
import { shapeText } from '../../scripts/lib/shape-text.ts';
import { repositoryText } from '../support/repository.ts';

test('docs/api.md is the table of endpoints: print it again with `node scripts/print-api.ts`', async () => {
  const printed = await format(apiPage(), { ...(await resolveConfig('docs/api.md')), filepath: 'docs/api.md' });
  expect(repositoryText('docs/api.md')).toBe(printed);
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
])('a shape reads $text', ({ schema, text }) => {
  expect(shapeText(schema)).toBe(text);
});
