import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { substituteTokens } from '../../../shared/domain/tokens.ts';
import { cpuMs } from '../../support/cpu-ms.ts';

const client = {
  name: 'web-1',
  address: '192.0.2.1',
  port: 8080,
  active: false,
  nothing: null,
  empty: '',
  subscriptions: ['sensu', 'rhel', 'all'],
  disk: { warning: 80, mount: { path: '/var' } },
  token: ':::name:::',
  money: '$& $1 $$',
};

describe('a token in a text (completion 1.12)', () => {
  test.each<{ text: string; becomes: string }>([
    { text: 'no token', becomes: 'no token' },
    { text: 'ping :::address:::', becomes: 'ping 192.0.2.1' },
    { text: ':::name::: at :::address:::', becomes: 'web-1 at 192.0.2.1' },
    { text: ':::disk.mount.path:::', becomes: '/var' },
    { text: '-p :::port:::', becomes: '-p 8080' },
    // `false` is a value like any other, so the default is not used.
    { text: ':::active:::', becomes: 'false' },
    { text: ':::active|true:::', becomes: 'false' },
    { text: '[:::empty:::]', becomes: '[]' },
    { text: ':::subscriptions:::', becomes: '["sensu", "rhel", "all"]' },
    // Tokens with a default.
    { text: ':::missing|fallback:::', becomes: 'fallback' },
    { text: ':::address|fallback:::', becomes: '192.0.2.1' },
    { text: '[:::missing|:::]', becomes: '[]' },
    { text: ':::missing|a|b:::', becomes: 'a|b' },
    { text: ':::missing|10:30:::', becomes: '10:30' },
    { text: ':::nothing|none:::', becomes: 'none' },
    { text: ':::disk|an object:::', becomes: 'an object' },
    { text: ':::disk.warning.deeper|none:::', becomes: 'none' },
    // Tokens in a replacement are not replaced again.
    { text: ':::token:::', becomes: ':::name:::' },
    { text: ':::missing|$&:::', becomes: '$&' },
    { text: ':::money:::', becomes: '$& $1 $$' },
    // Texts with colons that are not part of a token.
    { text: '::::::', becomes: '::::::' },
    { text: ':::name::', becomes: ':::name::' },
    { text: ':::na\nme:::', becomes: ':::na\nme:::' },
    { text: '::::name:::', becomes: ':web-1' },
    // Invalid Unicode is removed.
    { text: 'a\uD800b :::name:::', becomes: 'ab web-1' },
    { text: 'été 🙂', becomes: 'été 🙂' },
  ])('the text $text becomes $becomes after token substitution', ({ text, becomes }) => {
    expect(substituteTokens(text, client)).toEqual({ value: becomes, unmatched: [] });
  });

  test.each<{ text: string; unmatched: string[] }>([
    { text: ':::missing:::', unmatched: ['missing'] },
    { text: ':::nope.missing:::', unmatched: ['nope.missing'] },
    { text: ':::b::: :::a::: :::b:::', unmatched: ['b', 'a'] },
    { text: ':::disk:::', unmatched: ['disk'] },
    { text: ':::nothing:::', unmatched: ['nothing'] },
    { text: ':::subscriptions.0:::', unmatched: ['subscriptions.0'] },
    { text: ':::constructor.name::: :::__proto__:::', unmatched: ['constructor.name', '__proto__'] },
    { text: ':::a:::b::: c :::', unmatched: ['a', ' c '] },
  ])('the tokens without a value in the text $text are reported', ({ text, unmatched }) => {
    expect(substituteTokens(text, client).unmatched).toEqual(unmatched);
  });
});

test('tokens are substituted in strings at every depth, and names and other values stay unchanged', () => {
  const check = {
    command: 'check :::address:::',
    interval: 60,
    publish: false,
    ':::name:::': [':::name:::', 1, null, { path: ':::disk.mount.path:::', missing: ':::x:::' }],
  };
  expect(substituteTokens(check, client)).toEqual({
    value: {
      command: 'check 192.0.2.1',
      interval: 60,
      publish: false,
      ':::name:::': ['web-1', 1, null, { path: '/var', missing: '' }],
    },
    unmatched: ['x'],
  });
  expect(check.command).toBe('check :::address:::');
});

test('any value of an attribute replaces its token unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (value, around) => {
      fc.pre(!around.includes(':'));
      const { value: text } = substituteTokens(`${around}:::value:::${around}`, { value });
      expect(text).toBe(`${around}${value}${around}`);
    }),
  );
});

test('the tokens of a hostile text of a megabyte are substituted in bounded time', () => {
  for (const piece of [':::a\n', '::::', ':::a|', 'a:::']) {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const start = cpuMs();
    substituteTokens(text, client);
    expect(cpuMs() - start).toBeLessThan(2000);
  }
});
