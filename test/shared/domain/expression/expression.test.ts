import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAttributePath } from '../../../../shared/domain/attributes.ts';
import {
  evaluateExpression,
  parseExpression,
  type Evaluation,
  type Expression,
} from '../../../../shared/domain/expression/expression.ts';
import { isTruthy } from '../../../../shared/domain/expression/values.ts';
import { cpuMs } from '../../../support/cpu-ms.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

/** Friday, 20 November 2026, 14:09:41 in Berlin. */
const NOW_MS = 1_795_180_181_000;

const event = {
  action: 'create',
  occurrences: 3,
  client: { name: 'web-1', environment: 'production', tags: ['a', 'b'], muted: false, nothing: null },
  check: { name: 'disk', output: `x' || true || '`, refresh: 1800 },
};

function parsed(source: string): Expression {
  const expression = parseExpression(source);
  if (expression.kind === 'problem')
    throw new Error(`${source}: ${expression.message} at ${String(expression.position)}`);
  return expression;
}

function evaluated(source: string, value: unknown = null): Evaluation {
  return evaluateExpression(parsed(source), {
    value,
    token: (path) => readAttributePath(event, path),
    nowMs: NOW_MS,
    zone: 'Europe/Berlin',
  });
}

function result(source: string, value?: unknown): unknown {
  const evaluation = evaluated(source, value);
  if (evaluation.kind !== 'value') throw new Error(`${source}: ${JSON.stringify(evaluation)}`);
  return evaluation.value;
}

describe('the examples of the public documentation (completion 1.9)', () => {
  const MONDAY_9 = Date.UTC(2026, 10, 16, 8) / 1000;
  const WORKING = '[1,2,3,4,5].include?(Time.at(value).wday) && Time.at(value).hour.between?(9,17)';
  test.each<{ source: string; value: unknown; holds: boolean }>([
    { source: "value == 1 || ':::action:::' == 'resolve'", value: 1, holds: true },
    { source: "value == 1 || ':::action:::' == 'resolve'", value: 2, holds: false },
    { source: "value == 1 || ':::action:::' == 'create'", value: 2, holds: true },
    { source: 'value % 60 != 0', value: 61, holds: true },
    { source: 'value % 60 != 0', value: 120, holds: false },
    { source: "value.include?('dc-01')", value: 'web-dc-01-7', holds: true },
    { source: "value.include?('dc-01')", value: 'web-dc-02-7', holds: false },
    { source: WORKING, value: MONDAY_9, holds: true },
    { source: WORKING, value: MONDAY_9 - 1, holds: false },
    { source: WORKING, value: MONDAY_9 + 9 * 3600 - 1, holds: true },
    { source: WORKING, value: MONDAY_9 + 9 * 3600, holds: false },
    { source: WORKING, value: MONDAY_9 - 24 * 3600, holds: false },
    { source: 'value > :::check.occurrences|60:::', value: 61, holds: true },
    { source: 'value > :::check.occurrences|60:::', value: 60, holds: false },
    { source: 'value > :::occurrences|60:::', value: 4, holds: true },
  ])('the public Sensu example $source of $value is true: $holds', ({ source, value, holds }) => {
    expect(isTruthy(result(source, value))).toBe(holds);
  });
});

describe('the value of an expression as in Ruby', () => {
  test.each<{ source: string; value?: unknown; expected: unknown }>([
    // Cases with literals.
    { source: '1', expected: 1 },
    { source: '-1.5', expected: -1.5 },
    { source: '1_000_000', expected: 1_000_000 },
    { source: '1.5e3', expected: 1500 },
    { source: String.raw`'it\'s \n'`, expected: String.raw`it's \n` },
    { source: String.raw`"a\t\"b\"\n"`, expected: 'a\t"b"\n' },
    { source: 'true', expected: true },
    { source: 'false', expected: false },
    { source: 'nil', expected: null },
    { source: 'null', expected: null },
    { source: "[1, 'a', [nil]]", expected: [1, 'a', [null]] },
    { source: '[]', expected: [] },
    { source: 'value', value: undefined, expected: null },
    { source: 'value', value: { a: 1 }, expected: { a: 1 } },
    { source: ' ( value\n)\t', value: 1, expected: 1 },
    // Integer arithmetic rounds down, and % has the sign of its right operand.
    { source: '1 + 2 * 3 - 4', expected: 3 },
    { source: '(1 + 2) * 3', expected: 9 },
    { source: '8 - 4 - 2', expected: 2 },
    { source: '7 / 2', expected: 3 },
    { source: '-7 / 2', expected: -4 },
    { source: '7 / 2.0', expected: 3.5 },
    { source: 'value.to_f / 2', value: 7, expected: 3.5 },
    { source: '7 / -value.to_f.abs', value: 2, expected: -3.5 },
    { source: 'value / 2', value: 2.5, expected: 1.25 },
    { source: '-7 % 3', expected: 2 },
    { source: '7 % -3', expected: -2 },
    { source: '1 / 0', expected: false },
    { source: '1 / 0.0', expected: false },
    { source: '1 % 0', expected: false },
    { source: "'a' + 'b'", expected: 'ab' },
    // Cases with comparisons.
    { source: '1 == 1.0', expected: true },
    { source: "1 == '1'", expected: false },
    { source: "['a', [1]] == ['a', [1]]", expected: true },
    { source: 'value == value', value: { a: [1, { b: 2 }] }, expected: true },
    { source: '1 != 1', expected: false },
    { source: '1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3', expected: true },
    { source: "'a' < 'b' && 'b' <= 'b' && 'c' > 'b' && 'c' >= 'c'", expected: true },
    { source: '1 < 2 == true', expected: true },
    // Logical operators return the operand that decided the result; only nil and false are falsy.
    { source: '!nil && !false && !!0', expected: true },
    { source: "'' && 0", expected: 0 },
    { source: 'nil || 2', expected: 2 },
    { source: '1 || value.downcase', expected: 1 },
    { source: 'false && value.downcase', expected: false },
    { source: '1 == 2 || 3 == 3 && 4 == 4', expected: true },
    { source: "value ? 'yes' : 'no'", value: 0, expected: 'yes' },
    { source: "value.nil? ? 'none' : value == 1 ? 'one' : 'many'", value: 2, expected: 'many' },
    { source: 'true ? :::client.name:::::::check.name:::', expected: 'web-1' },
    { source: '!value == true', value: null, expected: true },
    // Cases with method calls.
    { source: "value.include?('b')", value: ['a', 'b'], expected: true },
    { source: '(1..5).include?(value)', value: 5, expected: true },
    // Ruby allows calls without parentheses: the rest of the expression is the argument.
    { source: "['qa', 'staging'].include? ':::check.name|x:::'", expected: false },
    { source: "!['qa', 'staging'].include? ':::check.name|x:::'", expected: true },
    { source: "value.include? 'a' && 'b'", value: 'b', expected: true },
    { source: 'value.between? 1, 2 + 3', value: 5, expected: true },
    { source: "(value.include? 'b') && true", value: ['b'], expected: true },
    { source: '(1..5).include?(value)', value: 5.1, expected: false },
    { source: "value.start_with?('web') && value.end_with?('1')", value: 'web-1', expected: true },
    { source: "''.empty? && [].empty? && !'a'.empty?", expected: true },
    { source: "'aé😀'.length", expected: 3 },
    { source: '[1, 2].size', expected: 2 },
    { source: "'aÉ'.downcase + 'aé'.upcase", expected: 'aéAÉ' },
    { source: "' -42 disks'.to_i", expected: -42 },
    { source: "'none'.to_i", expected: 0 },
    { source: '(-1.5).to_i', expected: -1 },
    { source: "'91.5%'.to_f", expected: 91.5 },
    { source: 'nil.to_i + nil.to_f', expected: 0 },
    { source: 'nil.to_s', expected: '' },
    { source: '1.to_s + true.to_s', expected: '1true' },
    { source: "['a', 1].to_s", expected: '["a", 1]' },
    { source: '5.between?(1, 5)', expected: true },
    { source: '-2.abs', expected: 2 },
    { source: 'value.nil?', value: null, expected: true },
    { source: "'a'.nil?", expected: false },
    // Cases with times.
    { source: 'Time.now.to_i', expected: NOW_MS / 1000 },
    { source: 'Time.now.to_i - value > 3600', value: NOW_MS / 1000 - 3601, expected: true },
    {
      source: 'Time.at(value).hour * 10000 + Time.at(value).min * 100 + Time.at(value).sec',
      value: 1_795_180_181,
      expected: 140_941,
    },
    { source: "Time.at(value, in: 'UTC').hour", value: 1_795_180_181, expected: 13 },
    { source: "Time.now(in: '-05:00').hour", expected: 8 },
    { source: "Time.at(0, in: 'America/New_York').year", expected: 1969 },
    { source: '[Time.now.year, Time.now.month, Time.now.day]', expected: [2026, 11, 20] },
    { source: '[Time.now.wday, Time.now.yday]', expected: [5, 324] },
    { source: 'Time.at(1) == Time.at(1.0)', expected: true },
    // Cases with patterns.
    { source: 'value =~ /^web-[0-9]+$/', value: 'web-12', expected: true },
    { source: 'value =~ /WEB/', value: 'web', expected: false },
    { source: 'value =~ /WEB/i && true', value: 'web', expected: true },
    { source: String.raw`value =~ /\/var\/log/`, value: 'on /var/log', expected: true },
    { source: 'value =~ /a/', value: null, expected: false },
    { source: '!(value =~ /a/)', value: 'b', expected: true },
  ])('the expression $source of $value has the value that Ruby gives it', ({ source, value, expected }) => {
    expect(result(source, value)).toEqual(expected);
  });
});

describe('a token', () => {
  test.each<{ source: string; expected: unknown }>([
    { source: ':::occurrences:::', expected: 3 },
    { source: ':::client.tags:::', expected: ['a', 'b'] },
    { source: ':::client.muted:::', expected: false },
    { source: ':::client.muted|true:::', expected: false },
    { source: ':::nope|60:::', expected: 60 },
    { source: ':::nope|-1.5:::', expected: -1.5 },
    { source: ':::nope|true:::', expected: true },
    { source: ':::nope|nil:::', expected: null },
    { source: ":::nope|'60':::", expected: '60' },
    { source: ':::nope|plain text:::', expected: 'plain text' },
    { source: ':::nope|a|b:::', expected: 'a|b' },
    { source: ':::nope|:::', expected: '' },
    { source: ':::client|an object:::', expected: 'an object' },
    { source: ':::client.nothing|none:::', expected: 'none' },
    { source: "':::client.name::: is :::check.name:::!'", expected: 'web-1 is disk!' },
    {
      source: "':::occurrences::: :::client.muted::: :::client.tags::: :::nope|60:::'",
      expected: '3 false ["a", "b"] 60',
    },
    { source: '"::::client.name::::"', expected: ':web-1:' },
    { source: "'::::::'", expected: '::::::' },
  ])('the expression with the token $source has the value of the attribute or its default', ({ source, expected }) => {
    expect(result(source)).toEqual(expected);
  });

  test('the value of a token never becomes a part of the expression', () => {
    // In Sensu Core, this output would end the quoted text, and the filter would always match.
    expect(result("':::check.output:::' == 'fine'")).toBe(false);
    expect(result("':::check.output:::' == value", event.check.output)).toBe(true);
  });

  test('an expression with a token without a value and a default fails, even if the token is in an unused branch', () => {
    expect(evaluated("true || :::nope::: == ':::a.b:::' || :::nope:::")).toEqual({
      kind: 'unmatched',
      paths: ['nope', 'a.b'],
    });
    expect(evaluated(':::client:::')).toEqual({ kind: 'unmatched', paths: ['client'] });
    expect(evaluated(':::constructor.name:::')).toEqual({ kind: 'unmatched', paths: ['constructor.name'] });
  });
});

describe('an expression without a value', () => {
  test.each<{ source: string; value?: unknown; message: string }>([
    { source: 'value > 1', value: 'a', message: '> cannot be applied to a text and a number' },
    { source: 'value + 1', value: null, message: '+ cannot be applied to nil and a number' },
    { source: "'a' * 3", message: '* cannot be applied to a text and a number' },
    { source: "'a' / 'b'", message: '/ cannot be applied to a text and a text' },
    { source: '[1] + [2]', message: '+ cannot be applied to a list and a list' },
    { source: '-value', value: 'a', message: '- cannot be applied to a text' },
    { source: 'value.downcase', value: 1, message: 'a number has no downcase' },
    { source: 'value.hour', value: 1, message: 'a number has no hour' },
    { source: "value.include?('a')", value: { a: 1 }, message: 'an object has no include? with a text' },
    { source: "'abc'.include?(1)", message: 'a text has no include? with a number' },
    { source: "1.between?('a', 2)", message: 'a number has no between? with a text and a number' },
    { source: 'true.length', message: 'true has no length' },
    { source: "'a'..'b'", message: '.. cannot be applied to a text and a text' },
    { source: '(1..2).length', message: 'a range has no length' },
    { source: 'Time.now.length', message: 'a time has no length' },
    { source: "Time.at('now')", message: 'Time.at cannot be applied to a text' },
    { source: 'Time.at(-1)', message: 'Time.at needs seconds since 1970, up to the year 9999' },
    { source: 'Time.at(1e12)', message: 'Time.at needs seconds since 1970, up to the year 9999' },
    { source: 'value =~ /1/', value: 1, message: '=~ cannot be applied to a number' },
    { source: '1e308 * 10', message: 'produces a number that is too large' },
    { source: 'value.to_i', value: '9'.repeat(400), message: 'produces a number that is too large' },
    {
      source: 'value + value',
      value: 'a'.repeat(40_000),
      message: 'the expression produces more than 65536 characters',
    },
    {
      source: "'x:::client.name:::' + value",
      value: 'a'.repeat(65_536),
      message: 'the expression produces more than 65536 characters',
    },
    {
      source: 'value.upcase',
      value: 'ß'.repeat(40_000),
      message: 'the expression produces more than 65536 characters',
    },
  ])('the expression $source fails: $message', ({ source, value, message }) => {
    expect(evaluated(source, value)).toEqual({ kind: 'error', message });
  });

  test.each([
    '[value.downcase]',
    'value.downcase == 1',
    '!value.downcase',
    '-value.downcase',
    'value.downcase && 1',
    '1..value.downcase',
    'value.downcase..1',
    'value.downcase ? 1 : 2',
    "'a'.include?(value.downcase)",
    'value.downcase =~ /a/',
    'value.downcase.to_s',
    'Time.at(value.downcase)',
    '1 + value.downcase',
  ])('an expression that needs a missing value fails: %s', (source) => {
    expect(evaluated(source, 1)).toEqual({ kind: 'error', message: 'a number has no downcase' });
  });
});

describe('an invalid expression', () => {
  test.each([
    ['', 0, 'a value is missing here'],
    ['value ==', 8, 'a value is missing here'],
    ['value == 1 +', 12, 'a value is missing here'],
    ['(value', 0, '")" is missing: the end of this "("'],
    ['[1, 2', 5, '"]" is missing: the end of this list'],
    ['value ? 1', 9, '":" is missing: the second case of this "?"'],
    ['value value', 6, 'the expression cannot continue with this: value'],
    ['value = 1', 6, 'the expression cannot continue with this: = 1'],
    ['value === 1', 6, 'the expression cannot continue with this: === 1'],
    ['value <=> 1', 6, 'the expression cannot continue with this: <=> 1'],
    ['value << 1', 6, 'the expression cannot continue with this: << 1'],
    ['value ** 2', 6, 'the expression cannot continue with this: ** 2'],
    ['value[0]', 5, 'the expression cannot continue with this: [0]'],
    ['value; 1', 5, 'the expression cannot continue with this: ; 1'],
    ['value.nil? and true', 11, 'the expression cannot continue with this: and true'],
    ['not value', 0, 'write ! instead of "not"'],
    ['1 < 2 < 3', 6, 'compare two values at a time, joined by &&'],
    ['1 == 1 == true', 7, 'compare two values at a time, joined by &&'],
    ['1...5', 3, 'write .. and the last number that belongs to the range'],
    ['010', 0, 'write this number without its leading zero'],
    ['1x', 0, 'this is not a number'],
    ['1e999', 0, 'this number is too large'],
    ["'open", 0, 'this quote is not closed'],
    ['"#{value}"', 1, '#{...} is not supported: join texts with +, or use a token'],
    [String.raw`"\u0041"`, 1, String.raw`there is no \u in a text`],
    [':::open', 0, 'this token is not closed: write :::path::: or :::path|default:::'],
    ['`ls`', 0, 'a value is missing here, before `ls`'],
    ['@a', 0, 'a value is missing here, before @a'],
    ['system', 0, 'there is no "system": use value, a token such as :::check.name:::, or quote a text'],
    ['Kernel.exit', 0, 'there is no "Kernel": use value, a token such as :::check.name:::, or quote a text'],
    ['constructor', 0, 'there is no "constructor": use value, a token such as :::check.name:::, or quote a text'],
    ["value && value.include? 'a'", 15, 'include? takes 1 arguments, in parentheses, but got 0'],
    ["value.include? 'a', 'b'", 6, 'include? takes 1 arguments, in parentheses, but got 2'],
    ['value.include? -1', 6, 'include? takes 1 arguments, in parentheses, but got 0'],
    ["value.include?('a', 'b')", 6, 'include? takes 1 arguments, in parentheses, but got 2'],
    ['Time', 0, 'a time is Time.now or Time.at(seconds)'],
    ['Time.new', 0, 'a time is Time.now or Time.at(seconds)'],
    [
      "Time.now(in: 'Nowhere/Land')",
      13,
      'this is not a time zone: write UTC, an offset such as +02:00, or a name such as Europe/Berlin',
    ],
    ["Time.at(1, 'UTC')", 11, "write the zone in quotes, such as 'Europe/Berlin'"],
    ['value =~ 1', 9, 'a pattern between slashes is missing here, as in =~ /disk/'],
    ['value =~ /a/m', 9, 'the only flag of a pattern is i, which ignores upper and lower case'],
    ['value =~ /a(/', 11, String.raw`this "(" is not closed: add a ")", or write \( for the character`],
    [`'${'a'.repeat(1023)}'`, 1024, 'an expression has at most 1024 characters: shorten it'],
    ['('.repeat(33), 32, 'nested deeper than 32 levels: simplify the expression'],
    ['!'.repeat(33), 32, 'nested deeper than 32 levels: simplify the expression'],
    [`1${'+1'.repeat(200)}`, 201, 'more than 200 parts: shorten the expression'],
  ])('the invalid expression %s is rejected with its position and a remedy', (source, position, message) => {
    expect(parseExpression(source)).toEqual({ kind: 'problem', message, position });
  });

  test.each(['system', 'send', 'instance_eval', 'constructor', '__proto__', 'toString', 'call', 'then'])(
    'an expression cannot call the method %s',
    (name) => {
      expect(parseExpression(`value.${name}`)).toMatchObject({ kind: 'problem', position: 6 });
    },
  );
});

const PIECES = [
  'value',
  '1',
  '2.5',
  '0',
  "'a'",
  '"b"',
  'true',
  'nil',
  '[',
  ']',
  '(',
  ')',
  ',',
  '..',
  '+',
  '-',
  '*',
  '/',
  '%',
  '==',
  '!=',
  '<',
  '>=',
  '=~',
  '/a+/',
  '&&',
  '||',
  '!',
  '?',
  ':',
  ':::client.name:::',
  ':::nope|1:::',
  ':::nope:::',
  '.nil?',
  '.include?(',
  '.length',
  '.to_i',
  '.to_s',
  'Time.now',
  'Time.at(',
  '.hour',
  '.',
  "'",
  '\\',
  '#{',
  '\u0000',
  '😀',
  'x',
];

const OPERANDS = [
  'value',
  '1',
  '-2.5',
  "'a'",
  'nil',
  '[value]',
  '(1..5)',
  ':::client.name:::',
  "'x:::nope|1:::'",
  'value.to_s',
  'Time.now.hour',
  'value.length',
  '!value',
];
const OPERATORS = ['==', '!=', '<', '>=', '&&', '||', '+', '-', '*', '/', '%'];

const anyValue = fc.oneof(fc.jsonValue(), fc.constant(undefined));

test('any text is a valid expression or rejected with a position within the text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 15 }), (pieces) => {
      const source = pieces.join('');
      const outcome = parseExpression(source);
      const position = outcome.kind === 'problem' ? outcome.position : 0;
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(source.length);
    }),
    { numRuns: propertyRuns(5000) },
  );
});

test('any expression has an outcome for any value, and a double negation does not change the outcome', () => {
  const source = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 15 }).map((pieces) => pieces.join('')),
    fc
      .tuple(
        fc.constantFrom(...OPERANDS),
        fc.array(fc.tuple(fc.constantFrom(...OPERATORS), fc.constantFrom(...OPERANDS)), { maxLength: 6 }),
      )
      .map(([first, rest]) => [first, ...rest.flat()].join(' ')),
  );
  fc.assert(
    fc.property(
      source.filter((text) => parseExpression(text).kind === 'expression'),
      anyValue,
      (text, value) => {
        const outcome = evaluated(text, value);
        expect(evaluated(`!!(${text})`, value)).toEqual(
          outcome.kind === 'value' ? { kind: 'value', value: isTruthy(outcome.value) } : outcome,
        );
      },
    ),
    { numRuns: propertyRuns(2000) },
  );
});

test('the value of an attribute cannot change the meaning of an expression', () => {
  const expression = parsed("':::text:::' == 'a' && value.include?(:::text:::)");
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', "'", '"', '\\', '|', ':', '#', '{', ' ') }), (text) => {
      const outcome = evaluateExpression(expression, { value: [text], token: () => text, nowMs: NOW_MS, zone: 'UTC' });
      expect(outcome).toEqual({ kind: 'value', value: text === 'a' });
    }),
  );
});

test('integers divide as in Ruby: quotient times divisor plus remainder is the number', () => {
  const number = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(number, number, (left, right) => {
      fc.pre(right !== 0);
      expect(result(`value / (${String(right)}) * (${String(right)}) + value % (${String(right)})`, left)).toBe(left);
    }),
  );
});

test.each([
  'value == value.to_s',
  "value.include?('ab') || value.end_with?('b') || value.length > 5",
  'value =~ /(a+)+$/ || value =~ /(.*)*b/i',
  "value.empty? || value.start_with?('b') || value.to_f > 1",
])('the expression %s takes linear time for a megabyte', (source) => {
  const start = cpuMs();
  for (const character of ['a', ' ', '9']) evaluated(source, character.repeat(1_048_576));
  // Anything slower than linear would take hours; the limit allows for slow machines.
  expect(cpuMs() - start).toBeLessThan(10_000);
});
