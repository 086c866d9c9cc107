import { expect, test } from 'vitest';
import { readAttributePath, attributeText } from '../../../shared/domain/attributes.ts';

const client = {
  name: 'web-1',
  kind: 'switch',
  port: 8080,
  active: true,
  nothing: null,
  subscriptions: ['web', 'client:web-1'],
  site: { name: 'north', rack: { row: 3 } },
};

test.each<{ path: string; value: unknown }>([
  { path: 'site.rack.row', value: 3 },
  { path: 'site', value: client.site },
  { path: 'kind.length', value: undefined },
  { path: 'subscriptions.0', value: undefined },
  { path: 'nothing.more', value: undefined },
  { path: 'constructor.name', value: undefined },
  { path: '__proto__', value: undefined },
])('the lookup of the attribute path $path returns the value or undefined', ({ path, value }) => {
  expect(readAttributePath(client, path.split('.'))).toEqual(value);
});

test.each<{ value: unknown; text: string }>([
  { value: undefined, text: '' },
  { value: null, text: '' },
  { value: 'text', text: 'text' },
  { value: false, text: 'false' },
  { value: 1.5, text: '1.5' },
  { value: ['web', 2], text: '["web", 2]' },
  { value: { a: 1 }, text: '{"a":1}' },
])('an attribute is converted to the text "$text"', ({ value, text }) => {
  expect(attributeText(value)).toBe(text);
});
