import { describe, expect, test } from 'vitest';
import { readAttributePath } from '../../../../shared/domain/attributes.ts';
import {
  evaluateExpression,
  parseExpression,
  type Evaluation,
} from '../../../../shared/domain/expression/expression.ts';
import { parseFilter } from '../../../../shared/domain/filter-event.ts';
import { cpuMs } from '../../../support/cpu-ms.ts';

/** An event that a client may send, with attributes named like properties of JavaScript objects. */
const EVENT = JSON.parse(`{
  "client": {
    "name": "web-1", "password": "hunter2", "__proto__": { "isAdmin": true }, "constructor": { "name": "own" },
    "then": "text", "length": 5, "toString": "text"
  },
  "check": { "name": "disk", "output": ":::client.password::: ' || true || '" }
}`) as Readonly<Record<string, unknown>>;

/** A limit far above the time of any case on a busy machine, and far below any time that is slower than linear. */
const SOON_MS = 2000;

function outcome(source: string, value: unknown = null): Evaluation | 'refused' {
  const expression = parseExpression(source);
  if (expression.kind === 'problem') return 'refused';
  return evaluateExpression(expression, {
    value,
    token: (path) => readAttributePath(EVENT, path),
    nowMs: 0,
    zone: 'UTC',
  });
}

const valueOf = (value: unknown): Evaluation => ({ kind: 'value', value });

describe('deep nesting in expressions', () => {
  test.each<[what: string, repeated: (times: number) => string]>([
    ['parentheses', (times) => '('.repeat(times) + '1' + ')'.repeat(times)],
    ['lists', (times) => '['.repeat(times) + ']'.repeat(times)],
    ['negations', (times) => `${'!'.repeat(times)}value`],
    ['signs', (times) => `${'- '.repeat(times)}value`],
    ['choices', (times) => `${'true?'.repeat(times)}1${':2'.repeat(times)}`],
    ['arguments', (times) => 'value.include?('.repeat(times) + '1' + ')'.repeat(times)],
    ['times', (times) => 'Time.at('.repeat(times) + '1' + ')'.repeat(times)],
    ['calls', (times) => `value${'.to_s'.repeat(times)}`],
    ['sums', (times) => `1${'+1'.repeat(times)}`],
    ['groups of a pattern', (times) => `value =~ /${'('.repeat(times)}a${')'.repeat(times)}/`],
  ])('an expression with deeply nested %s is rejected', (_, repeated) => {
    expect(outcome(repeated(3))).not.toBe('refused');
    for (const times of [250, 1000, 100_000, 1_000_000]) {
      const startMs = cpuMs();
      expect(outcome(repeated(times))).toBe('refused');
      expect(cpuMs() - startMs).toBeLessThan(SOON_MS);
    }
  });

  test('deep nesting is also rejected in the attributes of a filter', () => {
    const filter = parseFilter({ attributes: { client: { name: `eval: ${'('.repeat(500)}value${')'.repeat(500)}` } } });
    expect(filter).toMatchObject({ kind: 'problems', problems: [{ path: ['client', 'name'] }] });
  });
});

describe('names of the JavaScript runtime', () => {
  const NAMES = [
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
    'call',
    'apply',
    'then',
    'eval',
    'Function',
    'process',
    'require',
    'globalThis',
    'import',
    'this',
    'system',
    'exec',
    'send',
    'instance_eval',
    'Kernel',
    'File',
    'ENV',
  ];

  test.each(NAMES)('an expression with the name %s reaches no object of the JavaScript runtime', (name) => {
    for (const source of [
      name,
      `${name}()`,
      `value.${name}`,
      `value.${name}()`,
      `value.${name}.${name}`,
      `'a'.${name}('b')`,
      `Time.${name}`,
      `Time.now.${name}`,
      `[].${name}`,
      `value['${name}']`,
    ]) {
      expect([source, outcome(source, {})]).toEqual([source, 'refused']);
    }
    expect(outcome(`:::nope.${name}|none:::`)).toEqual(valueOf('none'));
    expect(outcome(`:::check.${name}|none:::`)).toEqual(valueOf('none'));
    expect(outcome(`':::check.name.${name}|none:::'`)).toEqual(valueOf('none'));
    expect(outcome(`:::check.${name}:::`)).toEqual({ kind: 'unmatched', paths: [`check.${name}`] });
  });

  test('an attribute whose name is a member of the JavaScript runtime is an ordinary attribute', () => {
    expect(outcome(':::client.constructor.name:::')).toEqual(valueOf('own'));
    expect(outcome(':::client.isAdmin|no:::')).toEqual(valueOf('no'));
    expect(outcome(':::client.toString:::')).toEqual(valueOf('text'));
    expect(outcome("':::client.length::: :::client.then:::'")).toEqual(valueOf('5 text'));
  });

  test('an object that pretends to be a text, a list or a number is treated as an object', () => {
    const disguised = JSON.parse(
      '{"length": 5, "size": 5, "toString": "a", "valueOf": 1, "then": 1, "0": "a"}',
    ) as unknown;
    for (const source of [
      'value.length',
      'value.to_s',
      'value + 1',
      'value < 2',
      'value =~ /a/',
      '-value',
      'value..2',
    ]) {
      expect(outcome(source, disguised)).toMatchObject({ kind: 'error' });
    }
    expect(outcome('value == 1', disguised)).toEqual(valueOf(false));
    expect(outcome('value == value', disguised)).toEqual(valueOf(true));
  });
});

describe('attribute values are never evaluated as expressions', () => {
  test.each([':::check.output:::', "':::check.output:::'"])(
    'the expression %s yields the check output without substituting the token in the output',
    (source) => {
      // The output itself contains a token, which is not replaced.
      expect(outcome(source)).toEqual(valueOf(":::client.password::: ' || true || '"));
    },
  );

  test('the value of an attribute is never evaluated as an expression, even as the attribute itself', () => {
    expect(outcome("value == 'a'", "' || true || '")).toEqual(valueOf(false));
    expect(outcome('value', 'eval: true')).toEqual(valueOf('eval: true'));
    expect(outcome('value == /a/')).toBe('refused');
  });
});

describe('long texts in expressions', () => {
  const MEGABYTE = 'a'.repeat(1_048_576);
  const TOO_LONG = { kind: 'error', message: 'the expression produces more than 65536 characters' };

  test.each<[source: string, expected: unknown]>([
    ['value.length', valueOf(1_048_576)],
    ['value.empty?', valueOf(false)],
    ['value == value', valueOf(true)],
    ['value.include?(value)', valueOf(true)],
    ["value.include?('aaaaaaaaaaaaaaaaaaaab')", valueOf(false)],
    ['value.start_with?(value) && value.end_with?(value)', valueOf(true)],
    ['value.to_i + value.to_f', valueOf(0)],
    ['value < value', valueOf(false)],
    ['value + value', TOO_LONG],
    ["'x' + value", TOO_LONG],
    ['value.upcase', TOO_LONG],
    ['value.to_s', TOO_LONG],
    ['[value, value].to_s', TOO_LONG],
    ['value =~ /(a+)+$/', valueOf(true)],
    ['value =~ /(a+)+b/', valueOf(false)],
    ['value =~ /(a|a|aa)*b/', valueOf(false)],
    ['value =~ /^(([a-z])+.)+[A-Z]([a-z])+$/', valueOf(false)],
    ['value =~ /(.*)(.*)(.*)(.*)(.*)[^a]/', valueOf(false)],
    ['value =~ /(a?){20}a{20}b/', valueOf(false)],
  ])('the expression %s takes linear time for a long text, or fails', (source, expected) => {
    const startMs = cpuMs();
    expect(outcome(source, MEGABYTE)).toEqual(expected);
    expect(cpuMs() - startMs).toBeLessThan(SOON_MS);
  });

  test('an expression cannot grow a text beyond the limit step by step', () => {
    const doubled = `(${Array.from({ length: 8 }, () => 'value').join(' + ')})`;
    expect(outcome(`${doubled} + ${doubled} + ${doubled}`, 'a'.repeat(8192))).toEqual(TOO_LONG);
  });
});

describe('large ranges, counts and numbers in expressions', () => {
  test.each<[source: string, expected: unknown]>([
    ['(0..1e308).include?(5)', valueOf(true)],
    ['(-1e308..1e308).include?(value)', { kind: 'error', message: expect.any(String) as string }],
    ['(1..99999999999999999999).include?(7)', valueOf(true)],
    ['0..1e999', 'refused'],
    ['1e308 * 1e308', { kind: 'error', message: 'produces a number that is too large' }],
    ['5 % 1e-320 < 1', valueOf(true)],
    ['Time.at(1e300).year', { kind: 'error', message: expect.any(String) as string }],
    ['9'.repeat(310), 'refused'],
    ['value =~ /a{999}/', 'refused'],
    ['value =~ /(a{99}){99}/', 'refused'],
    ['value =~ /((a{0,20}){0,20}){0,20}/', 'refused'],
    ['value =~ /(((a*){9,}){9,}){9,}/', 'refused'],
    ['value =~ /a{99999999999}/', 'refused'],
  ])('the expression %s takes constant time', (source, expected) => {
    const startMs = cpuMs();
    expect(outcome(source)).toEqual(expected);
    expect(cpuMs() - startMs).toBeLessThan(SOON_MS);
  });
});

describe('characters of all scripts in expressions', () => {
  test.each([
    ['a letter of another script that looks like a Latin letter', 'vаlue == 1'],
    ['digits of another script', '１ == 1'],
    ['a no-break space', 'value\u00A0== 1'],
    ['a character without width', 'val\u200Bue'],
    ['a bidi control character', 'value \u202E== 1'],
    ['a NUL character', 'value\u0000'],
    ['a lone surrogate', 'value \uD800'],
    ['typographic quotes', 'value == ‘a’'],
    ['a line separator', 'value\u2028== 1'],
  ])('an expression with %s outside of a text is rejected', (_, source) => {
    expect(outcome(source, 1)).toBe('refused');
  });

  test.each<[source: string, value: unknown, expected: unknown]>([
    ["value == '\u202E\u0000\uD800'", '\u202E\u0000\uD800', true],
    ['value.length', '👩‍👩‍👧\uD800', 6],
    ['value.upcase', 'ﬃ', 'FFI'],
    ["value.downcase == 'i̇'", 'İ', true],
    ['value =~ /^.$/', '😀', true],
    ['value =~ /[😀-😂]/', '\uD83D', false],
    ["value.include?('😀')", 'a😀b', true],
  ])('the expression %s of %j has the right value', (source, value, expected) => {
    expect(outcome(source, value)).toEqual(valueOf(expected));
  });
});
