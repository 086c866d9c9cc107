import { expect, test } from 'vitest';
import { isDeeperThan, parseJsonStripped } from '../../../shared/domain/json.ts';

test.each<{ text: string; levels: number }>([
  { text: '[]', levels: 1 },
  { text: '{"a": 1, "b": null, "c": "[["}', levels: 1 },
  { text: '{"a": 1, "b": {}}', levels: 2 },
  { text: '[1, [2], {"a": [3]}]', levels: 3 },
])('the JSON value $text has $levels levels of nesting', ({ text, levels }) => {
  const value = JSON.parse(text) as object;
  expect(isDeeperThan(value, levels)).toBe(false);
  expect(isDeeperThan(value, levels - 1)).toBe(true);
});

test('the depth check of JSON values takes bounded time for any depth', () => {
  const value = JSON.parse(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`) as object;
  expect(isDeeperThan(value, 32)).toBe(true);
});

test.each<{ text: string; value: unknown }>([
  { text: '{"__proto__": {"a": 1}, "b": 2}', value: { b: 2 } },
  { text: '{"a": [{"constructor": 1, "c": 2}]}', value: { a: [{ c: 2 }] } },
  { text: '{"\\u005f_proto__": 1}', value: {} },
  { text: '["constructor"]', value: ['constructor'] },
])('object names with a meaning in JavaScript, such as __proto__, are removed: $text', ({ text, value }) => {
  expect(parseJsonStripped(text)).toEqual(value);
});
