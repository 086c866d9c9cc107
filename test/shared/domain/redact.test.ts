import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkRedactKeysOf,
  hasKeyRedactedByDefault,
  isRedactedByDefault,
  restoreRedacted,
  redact,
  redactKeysOf,
  settingsRedactKeys,
  disclosesMore,
} from '../../../shared/domain/redact.ts';
import type { Client } from '../../../shared/schemas/client.ts';

const CLIENT = { name: 'web-1', address: '', subscriptions: [], timestamp: 0, version: '1.9.0' };
const aClient = (attributes: object): Client => ({ ...CLIENT, ...attributes });

describe('the redacted values', () => {
  test.each<{ name: string; value: unknown; redacted: unknown }>([
    {
      name: 'the value of a secret key is hidden whatever its type is',
      value: { secret: { a: [1] } },
      redacted: { secret: 'REDACTED' },
    },
    { name: 'the value null of a secret key is hidden', value: { password: null }, redacted: { password: 'REDACTED' } },
    {
      name: 'secret keys are hidden at every depth',
      value: [[{ a: { pass: 'x' } }]],
      redacted: [[{ a: { pass: 'REDACTED' } }]],
    },
    { name: 'a key in another case is not hidden', value: { Password: 'x' }, redacted: { Password: 'x' } },
    {
      name: 'a longer key that begins with a secret key is not hidden',
      value: { password_policy: 'x' },
      redacted: { password_policy: 'x' },
    },
    {
      name: 'a text that equals a secret key is not hidden',
      value: ['password', { a: 'secret' }],
      redacted: ['password', { a: 'secret' }],
    },
  ])('redaction hides secrets and nothing else: $name', ({ value, redacted }) => {
    expect(redact(value)).toEqual(redacted);
  });

  test('redaction returns the same object if the object has no secret, and changes nothing in place', () => {
    const plain = { a: [{ b: 1 }] };
    expect(redact(plain)).toBe(plain);
    const secret = { plain, secret: 'x' };
    expect(redact(secret)).toEqual({ plain, secret: 'REDACTED' });
    expect(redact(secret).plain).toBe(plain);
    expect(secret.secret).toBe('x');
  });

  test('the quick check of a JSON text never misses a secret', () => {
    const key = fc.oneof(fc.constantFrom('password', 'pass', 'secret', '"pass":', 'a\\"pass'), fc.string());
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    }));
    fc.assert(
      fc.property(json.object, (value) => {
        // False positives of `hasKeyRedactedByDefault` are harmless: they only cost time.
        expect(redact(value) === value || hasKeyRedactedByDefault(JSON.stringify(value))).toBe(true);
      }),
    );
  });
});

describe('the redacted keys', () => {
  const value = { password: 'x', pin: 'y' };
  test.each<{ name: string; redactList: unknown; clientKeys: object; checkKeys: object }>([
    {
      name: 'the default keys apply without a redact list',
      redactList: undefined,
      clientKeys: { password: 'REDACTED', pin: 'y' },
      checkKeys: { password: 'REDACTED', pin: 'y' },
    },
    {
      name: 'a redact list replaces the default keys for the client and extends them for its checks',
      redactList: ['pin', 7],
      clientKeys: { password: 'x', pin: 'REDACTED' },
      checkKeys: { password: 'REDACTED', pin: 'REDACTED' },
    },
    {
      name: 'an empty redact list hides nothing of the client',
      redactList: [],
      clientKeys: value,
      checkKeys: { password: 'REDACTED', pin: 'y' },
    },
    {
      name: 'a redact attribute that is not a list is ignored',
      redactList: 'pin',
      clientKeys: { password: 'REDACTED', pin: 'y' },
      checkKeys: { password: 'REDACTED', pin: 'y' },
    },
  ])('the redacted keys follow the settings of the client: $name', ({ redactList, clientKeys, checkKeys }) => {
    const client = aClient({ redact: redactList });
    expect(redact(value, redactKeysOf(client))).toEqual(clientKeys);
    expect(redact(value, checkRedactKeysOf(client))).toEqual(checkKeys);
    // Settings contain everything, so the list of the client adds to the default keys.
    expect(redact(value, settingsRedactKeys({ client: { redact: redactList } }))).toEqual(checkKeys);
  });
});

test('the redaction of settings also hides webhook headers and the part of a webhook URL after the host', () => {
  const pager = {
    type: 'webhook',
    headers: { Authorization: 'Bearer 1' },
    url: 'https://hooks.example:8443/T0/B0?k=1',
  };
  const settings = {
    handlers: { pager, odd: { type: 'webhook', url: 7, topic: 'hunter2' }, queue: { type: 'pipe', topic: 'plain' } },
    checks: { c: { url: 'https://a.example/x' } },
  };
  expect(redact(settings, settingsRedactKeys(settings))).toEqual({
    handlers: {
      pager: { type: 'webhook', headers: 'REDACTED', url: 'https://hooks.example:8443/REDACTED' },
      odd: { type: 'webhook', url: 'REDACTED', topic: 'REDACTED' },
      queue: { type: 'pipe', topic: 'plain' },
    },
    checks: settings.checks,
  });
});

test('the redaction of the environment of a command shows only the names of the variables', () => {
  const shown = { env_vars: ['CHAT=REDACTED', 'ROOM=REDACTED', 'REDACTED', 'REDACTED'] };
  const whole = { env_vars: ['CHAT=https://hooks.example/x', 'ROOM=', 'no variable', 7] };
  expect(redact(whole)).toEqual(shown);
  expect(restoreRedacted({ env_vars: ['ROOM=new', 'CHAT=REDACTED', 'OTHER=REDACTED'] }, whole)).toEqual({
    env_vars: ['ROOM=new', 'CHAT=https://hooks.example/x', 'OTHER=REDACTED'],
  });
});

describe('a redacted object that a client reads and puts back', () => {
  test('a redacted object that is put back keeps the hidden values and changes all other values', () => {
    const present = { password: 'hush', api: { secret: 1, url: 'a' }, hosts: [{ pass: 'x' }, { pass: 'y' }] };
    const sent = {
      password: 'REDACTED',
      api: { secret: 'new', url: 'REDACTED' },
      hosts: [{ pass: 'REDACTED' }],
      pin: 'REDACTED',
    };
    expect(restoreRedacted(sent, present)).toEqual({
      password: 'hush',
      api: { secret: 'new', url: 'REDACTED' },
      hosts: [{ pass: 'x' }],
      pin: 'REDACTED',
    });
    expect(restoreRedacted(sent, undefined)).toEqual(sent);
    expect(restoreRedacted({ password: 'REDACTED' }, {})).toEqual({ password: 'REDACTED' });
  });

  test('a redacted object that is put back unchanged equals the original', () => {
    const record = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(fc.constantFrom('password', 'secret', 'a', 'b'), tie('value'), { maxKeys: 4 }),
    })).object;
    fc.assert(
      fc.property(record, (whole) => {
        expect(restoreRedacted(redact(whole), whole)).toEqual(whole);
      }),
    );
  });
});

test.each([
  { before: undefined, after: ['pin'], isLess: true },
  { before: undefined, after: null, isLess: false },
  { before: ['pin'], after: ['pin', 'token'], isLess: false },
  { before: ['pin', 'token'], after: ['pin'], isLess: true },
  { before: ['pin'], after: undefined, isLess: true },
  { before: [], after: ['pin'], isLess: false },
])('a change of the redact list from $before to $after hides fewer values: $isLess', ({ before, after, isLess }) => {
  expect(disclosesMore(aClient({ redact: before }), after)).toBe(isLess);
});

test.each([
  ['password', true],
  ['routing_key', true],
  ['env_vars', true],
  ['name', false],
  ['constructor', false],
])('the values of %s are hidden by default: %s', (key, isHidden) => {
  expect(isRedactedByDefault(key)).toBe(isHidden);
});
