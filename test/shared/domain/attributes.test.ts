import { describe, expect, test } from 'vitest';
import { attributeAt, attributeText, expressionPaths, matchesAttributes } from '../../../shared/domain/attributes.ts';

const client = {
  name: 'web-1',
  kind: 'switch',
  port: 8080,
  active: true,
  nothing: null,
  subscriptions: ['web', 'client:web-1'],
  site: { name: 'north', rack: { row: 3 } },
};

describe('the attributes of a definition match a record (completion 1.9)', () => {
  test.each<{ name: string; wanted: Record<string, unknown>; matches: boolean }>([
    { name: 'nothing is wanted', wanted: {}, matches: true },
    { name: 'an equal text', wanted: { kind: 'switch' }, matches: true },
    { name: 'another text', wanted: { kind: 'router' }, matches: false },
    { name: 'all of several', wanted: { kind: 'switch', port: 8080 }, matches: true },
    { name: 'only one of several', wanted: { kind: 'switch', port: 80 }, matches: false },
    { name: 'a number as text', wanted: { port: '8080' }, matches: true },
    { name: 'a boolean as text', wanted: { active: 'true' }, matches: true },
    { name: 'a nested attribute', wanted: { site: { rack: { row: 3 } } }, matches: true },
    { name: 'another nested attribute', wanted: { site: { name: 'north', rack: { row: 4 } } }, matches: false },
    { name: 'an object where there is a text', wanted: { kind: { name: 'switch' } }, matches: false },
    { name: 'an attribute that is missing', wanted: { color: 'red' }, matches: false },
    { name: 'null for an attribute that is missing', wanted: { color: null }, matches: true },
    { name: 'null for null', wanted: { nothing: null }, matches: true },
    { name: 'an equal list', wanted: { subscriptions: ['web', 'client:web-1'] }, matches: true },
    { name: 'one item of a list', wanted: { subscriptions: 'web' }, matches: false },
    { name: 'an expression', wanted: { port: "eval: value == 8080 || 'anything'" }, matches: false },
    { name: 'an expression that is also the text', wanted: { note: 'eval: true' }, matches: false },
    { name: 'a name from the prototype', wanted: { toString: null }, matches: true },
  ])('$name: $matches', ({ wanted, matches }) => {
    expect(matchesAttributes(wanted, { ...client, note: 'eval: true' })).toBe(matches);
  });
});

test('expressions are found wherever they are', () => {
  const wanted = { a: 'eval: value', b: { c: 'eval:value', d: 'x' }, e: ['eval: value'] };
  expect(expressionPaths(wanted)).toEqual(['a', 'b.c']);
});

test.each<{ path: string; value: unknown }>([
  { path: 'site.rack.row', value: 3 },
  { path: 'site', value: client.site },
  { path: 'kind.length', value: undefined },
  { path: 'subscriptions.0', value: undefined },
  { path: 'nothing.more', value: undefined },
  { path: 'constructor.name', value: undefined },
  { path: '__proto__', value: undefined },
])('the attribute at $path', ({ path, value }) => {
  expect(attributeAt(client, path.split('.'))).toEqual(value);
});

test.each<{ value: unknown; text: string }>([
  { value: undefined, text: '' },
  { value: null, text: '' },
  { value: 'text', text: 'text' },
  { value: false, text: 'false' },
  { value: 1.5, text: '1.5' },
  { value: ['web', 2], text: '["web", 2]' },
  { value: { a: 1 }, text: '{"a":1}' },
])('as text: $text', ({ value, text }) => {
  expect(attributeText(value)).toBe(text);
});
