import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchConditions, parseConditions, type AttributeMatch } from '../../../shared/domain/attribute-conditions.ts';

const MOMENT = { nowMs: Date.parse('2026-11-20T12:00:00Z'), zone: 'UTC' };

const event = {
  action: 'create',
  occurrences: 61,
  client: { name: 'web-1', environment: 'production', subscriptions: ['web', 'client:web-1'], nothing: null },
  check: { name: 'disk', status: 2, handle: true, note: 'eval: true' },
};

function match(wanted: Record<string, unknown>, record: Record<string, unknown> = event): AttributeMatch {
  const conditions = parseConditions(wanted);
  if (conditions.kind === 'problems') throw new Error(JSON.stringify(conditions.problems));
  return matchConditions(conditions, record, MOMENT);
}

describe('conditions on attributes that match (completion 1.9)', () => {
  test.each<{ name: string; conditions: Record<string, unknown> }>([
    { name: 'no condition', conditions: {} },
    { name: 'a text is equal', conditions: { action: 'create' } },
    { name: 'a number is equal', conditions: { occurrences: 61 } },
    { name: 'a number equals its text', conditions: { occurrences: '61' } },
    { name: 'a boolean equals its text', conditions: { check: { handle: 'true' } } },
    { name: 'a nested object has the required attributes and others', conditions: { client: { name: 'web-1' } } },
    { name: 'a nested object without conditions', conditions: { client: {} } },
    { name: 'all of several conditions match', conditions: { action: 'create', check: { name: 'disk', status: 2 } } },
    { name: 'a list is equal', conditions: { client: { subscriptions: ['web', 'client:web-1'] } } },
    { name: 'null equals a missing attribute', conditions: { client: { datacenter: null } } },
    { name: 'an empty text equals null', conditions: { client: { nothing: '' } } },
    { name: 'an expression is true', conditions: { occurrences: 'eval: value > 60' } },
    { name: 'an expression without a space after eval: is true', conditions: { occurrences: 'eval:value == 61' } },
    {
      name: 'an expression about a nested attribute is true',
      conditions: { client: { subscriptions: "eval: value.include?('web')" } },
    },
    {
      name: 'an expression about a missing attribute is true',
      conditions: { client: { datacenter: 'eval: value.nil?' } },
    },
    {
      name: 'an expression with a token for another attribute is true',
      conditions: { check: { status: 'eval: :::occurrences::: > 60' } },
    },
    { name: 'an expression about the time is true', conditions: { action: 'eval: Time.now.hour == 12' } },
    { name: 'an expression about an object is true', conditions: { client: 'eval: !value.nil?' } },
  ])('conditions on attributes match: $name', ({ conditions }) => {
    expect(match(conditions)).toEqual({ matches: true });
  });
});

describe('a condition that does not match (completion 1.9)', () => {
  test.each<{ conditions: Record<string, unknown>; path: string; cause: string; reason: string }>([
    { conditions: { action: 'resolve' }, path: 'action', cause: 'different', reason: 'is not "resolve"' },
    { conditions: { action: 'create', occurrences: 1 }, path: 'occurrences', cause: 'different', reason: 'is not 1' },
    {
      conditions: { client: { datacenter: 'dc-1' } },
      path: 'client.datacenter',
      cause: 'different',
      reason: 'is not "dc-1"',
    },
    {
      conditions: { client: { subscriptions: 'web' } },
      path: 'client.subscriptions',
      cause: 'different',
      reason: 'is not "web"',
    },
    {
      conditions: { action: { name: 'create' } },
      path: 'action',
      cause: 'different',
      reason: 'has no attributes of its own',
    },
    { conditions: { nope: {} }, path: 'nope', cause: 'different', reason: 'has no attributes of its own' },
    { conditions: { nope: { more: null } }, path: 'nope', cause: 'different', reason: 'has no attributes of its own' },
    {
      conditions: { constructor: { name: 'Object' } },
      path: 'constructor',
      cause: 'different',
      reason: 'has no attributes of its own',
    },
    {
      conditions: { occurrences: 'eval: value == 1' },
      path: 'occurrences',
      cause: 'false',
      reason: 'does not meet value == 1',
    },
    {
      conditions: { action: 'eval: value > 1' },
      path: 'action',
      cause: 'error',
      reason: 'cannot be evaluated with value > 1: > cannot be applied to a text and a number',
    },
    {
      conditions: { action: 'eval: :::check.nope::: == :::x:::' },
      path: 'action',
      cause: 'unmatched',
      reason: 'cannot be evaluated with :::check.nope::: == :::x:::: there is nothing at check.nope, x',
    },
    {
      conditions: { action: 'eval: :::constructor.name::: == 1' },
      path: 'action',
      cause: 'unmatched',
      reason: 'cannot be evaluated with :::constructor.name::: == 1: there is nothing at constructor.name',
    },
    // A condition with `eval:` is evaluated, and never compared as text.
    { conditions: { check: { note: 'eval: nil' } }, path: 'check.note', cause: 'false', reason: 'does not meet nil' },
  ])('a mismatch names the attribute and the reason: $path $reason', ({ conditions, path, cause, reason }) => {
    expect(match(conditions)).toEqual({ matches: false, path: path.split('.'), cause, reason });
  });
});

test('loading conditions reports every invalid expression', () => {
  const wanted = { a: 'eval: value ===', b: { c: 'eval:process.exit()', d: 'eval: value' }, e: 'text' };
  expect(parseConditions(wanted)).toEqual({
    kind: 'problems',
    problems: [
      { path: ['a'], message: 'the expression cannot continue with this: === (character 13)' },
      {
        path: ['b', 'c'],
        message: 'there is no "process": use value, a token such as :::check.name:::, or quote a text (character 6)',
      },
    ],
  });
});

test('conditions that equal the attributes match, and conditions with any changed attribute do not match', () => {
  const record = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,3}$/),
    fc.jsonValue({ maxDepth: 3, stringUnit: 'binary-ascii' }),
  );
  fc.assert(
    fc.property(record, fc.stringMatching(/^[a-z]{1,3}$/), (attributes, name) => {
      fc.pre(!JSON.stringify(attributes).includes('eval:'));
      expect(match(attributes, attributes)).toEqual({ matches: true });
      const wanted = { ...attributes, [name]: 'something else' };
      expect(match(wanted, attributes)).toMatchObject({ matches: false, path: [name] });
    }),
  );
});
