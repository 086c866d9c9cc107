import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactKeysOf } from '../../../shared/domain/redact.ts';
import { attributeTexts, parseSelector, type Selector, type SelectorSubject } from '../../../shared/domain/selector.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const client = {
  name: 'web-1',
  subscriptions: ['web', 'client:web-1'],
  env: 'prod',
  cores: 8,
  labels: { region: 'eu', 'app.kubernetes.io/name': 'shop' },
  tags: ['blue', 'edge', { not: 'a text' }],
  password: 'hunter2',
  pin: '1234',
  redact: ['pin', 'password'],
};
const check = { name: 'disk..var', env: 'test', team: 'storage', critical: true, status: 2 };

const hidden = redactKeysOf(client);
const subject: SelectorSubject = {
  namespace: 'default',
  client: 'web-1',
  check: 'disk..var',
  subscriptions: client.subscriptions,
  attribute: (owner, name) => attributeTexts(owner === 'client' ? client : check, name, hidden),
};

function selector(text: string): Selector {
  const parsed = parseSelector(text);
  if (parsed.kind === 'problem') throw new Error(`${text}: ${parsed.message}`);
  return parsed;
}

function problemOf(text: string): string {
  const parsed = parseSelector(text);
  return parsed.kind === 'problem' ? parsed.message : '';
}

describe('a selector that matches the event', () => {
  test.each([
    ['a pattern for the client in any case', 'client~WEB-*'],
    ['the check name', 'check=disk..var'],
    ['the name of which the check is a variant', 'check=disk'],
    ['words of the client and check names', 'web disk'],
    ['a subscription', 'subscriptions=web'],
    ['a namespace', 'namespace=default'],
    ['an attribute of the client', 'env=prod'],
    ['an attribute of the check', 'env=test team~stor*'],
    ['an attribute of the client or the check by prefix', 'client.env=prod check.env=test client.env!=test'],
    ['a number that equals a text', 'cores=8'],
    ['a boolean that equals a text', 'critical=true'],
    ['an element of a list', 'tags=edge'],
    ['a nested attribute', 'labels.region=eu'],
    ['an attribute whose name has dots', 'client.labels.app.kubernetes.io/name=shop'],
    ['a comparison with spaces around the operator', 'env = prod'],
    ['a missing attribute that is not equal to a value', 'site!=ams'],
    [
      'operators, groups and negations as in any search',
      '(client~db-* or client~web-*) and not team=web check!=backup',
    ],
  ])('a selector matches an event by %s', (_rule, text) => {
    expect(selector(text).matches(subject)).toBe(true);
  });
});

describe('a selector that does not match', () => {
  test.each([
    ['the name of another client', 'client=web-10'],
    ['a negated name of which the check is a variant', 'check!=disk'],
    ['a negated value that the client or the check has', 'env!=test'],
    ['a missing attribute', 'site=ams or site~*'],
    ['an attribute of the client that is searched in the check', 'check.cores=8'],
    ['a redacted attribute of the client', 'pin=1234 or pin~*'],
    ['an attribute that is an object', 'labels~*'],
    ['a member of the prototype of objects', 'constructor~* or client.__proto__~*'],
  ])('a selector does not match an event by %s', (_rule, text) => {
    expect(selector(text).matches(subject)).toBe(false);
  });
});

test.each([
  ['status>=warn', 'status changes with every result'],
  ['client=web-1 output~full', 'output changes with every result'],
  ['occurrences>3', 'occurrences changes with every result'],
  ['check.status=2', 'check.status changes with every result'],
  ['client.timestamp=1', 'client.timestamp changes with every result'],
  ['web silenced', 'silenced changes with every result'],
  ['!(flapping)', 'flapping changes with every result'],
  ['age>1h', 'age changes with every result'],
  ['backend=eu', 'backend is not available in a selector'],
  ['client.password=x', 'client.password is secret'],
  ['labels.api_key~a*', 'labels.api_key is secret'],
  ['env>3', 'env contains texts and cannot be compared by order'],
  ['env=', 'a value is missing after env='],
  ['  ', 'a selector needs at least one condition'],
  ['client~(', 'a value is missing after client~'],
  ['x'.repeat(1025), 'the search is longer than 1024 characters'],
  [Array.from({ length: 21 }, (_, at) => `a${String(at)}=1`).join(' '), 'a selector can use at most 20 attributes'],
])('the selector %s is rejected: %s', (text, message) => {
  expect(problemOf(text)).toContain(message);
});

test('a rejected selector is reported with its position and a remedy', () => {
  expect(parseSelector('client=web-1 status=2')).toEqual({
    kind: 'problem',
    message:
      'status changes with every result and cannot be used in a selector: use client, check, subscriptions, namespace or an attribute of client or check, as in env=prod',
    position: 20,
  });
});

test('a selector lists the attributes of client and check that it uses', () => {
  expect(selector('client~web-* env=prod check.team=a client.labels.Zone=b env!=x').attributes).toEqual({
    client: ['env', 'labels.Zone'],
    check: ['env', 'team'],
  });
});

test('a selector compares at most a hundred texts of a thousand characters of a list attribute', () => {
  const texts = attributeTexts({ list: Array.from({ length: 500 }, () => 'x'.repeat(5000)) }, 'list', new Set());
  expect(texts).toEqual(Array.from({ length: 100 }, () => 'x'.repeat(1000)));
});

test('any text is a valid selector or rejected with a position within the text, and never an exception', () => {
  const pieces = fc.constantFrom(
    'client',
    'env',
    '.',
    '=',
    '!=',
    '~',
    '(',
    ')',
    '"',
    '!',
    ' ',
    'or',
    'status',
    '*',
    'é',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const parsed = parseSelector(text);
      const isRead = parsed.kind === 'selector' && typeof parsed.matches(subject) === 'boolean';
      expect(isRead || (parsed.kind === 'problem' && parsed.position <= text.length)).toBe(true);
    }),
    { numRuns: propertyRuns(500) },
  );
});
