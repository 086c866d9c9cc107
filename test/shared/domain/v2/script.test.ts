import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventConditions, evaluateExpressions } from '../../../../shared/domain/v2/expressions.ts';
import { eventSubjectOf } from '../../../../shared/domain/v2/event-subject.ts';
import { anEvent, type EventChanges } from '../../../support/an-event.ts';
import { cpuMs } from '../../../support/cpu-ms.ts';

const MOMENT = { nowMs: Date.parse('2026-11-20T12:00:00Z'), zone: 'UTC' };

const METADATA = { labels: { team: 'ops' }, annotations: { runbook: 'https://wiki/disk' } };
const CHECK = { metadata: METADATA, interval: 60, handlers: ['slack'], output: 'CRIT full', executed: 1_700_000_000 };
const AT = { timestamp: 1_700_000_000 };

/** The events of the cases, in the order of the verdicts in `COMMON`. */
const EVENTS: readonly (readonly [name: string, event: EventChanges])[] = [
  ['create', { ...AT, check: CHECK }],
  ['repeat', { ...AT, occurrences: 2, occurrences_watermark: 2, check: { ...CHECK, history: ['0', '2', '2'] } }],
  [
    'resolve',
    {
      ...AT,
      action: 'resolve',
      occurrences: 3,
      occurrences_watermark: 3,
      check: { ...CHECK, status: 0, output: 'fine', history: ['0', '2', '2', '2', '0'] },
    },
  ],
  ['flapping', { ...AT, action: 'flapping', occurrences: 60, occurrences_watermark: 60, check: CHECK }],
  [
    'keepalive',
    { ...AT, check: { name: 'keepalive', status: 1, output: 'No keepalive', executed: AT.timestamp, interval: 20 } },
  ],
];

const ALL = 'yes yes yes yes yes';

/** The most common expressions, with the verdicts of Sensu Go for each of `EVENTS`. */
const COMMON: readonly (readonly [expression: string, verdicts: string])[] = [
  ['event.check.occurrences == 1', 'yes no yes no yes'],
  [
    'event.check.occurrences == 1 || event.check.occurrences % (3600 / event.check.interval) == 0',
    'yes no yes yes yes',
  ],
  ['event.check.status == 2', 'yes yes no yes no'],
  ['event.check.status === 0', 'no no yes no no'],
  ["event.check.state != 'passing'", 'yes yes no yes yes'],
  ["event.entity.name.indexOf('web') == 0", ALL],
  ["event.entity.name == 'web-1'", ALL],
  ['event.check.name.match(/disk/i)', 'yes yes yes yes no'],
  ['/warn|crit/i.test(event.check.output)', 'yes yes no yes no'],
  ["event.check.labels.hasOwnProperty('team')", ALL],
  ["event.check.labels.team == 'ops'", ALL],
  ["event.check.labels && event.check.labels.team == 'ops'", 'yes yes yes yes no'],
  ['event.check.annotations.runbook', ALL],
  ["typeof event.metrics !== 'undefined'", 'no no no no no'],
  ['event.has_check && !event.has_metrics', ALL],
  ['event.is_incident', 'yes yes no yes yes'],
  ['event.is_resolution', 'no no yes no no'],
  ['event.check.is_silenced == false', ALL],
  ['event.entity.subscriptions.indexOf("web") >= 0', ALL],
  ["event.entity.subscriptions.some(function (name) { return name == 'web' })", ALL],
  ['weekday(event.timestamp) >= 1 && weekday(event.timestamp) <= 5', ALL],
  ['hour(event.timestamp) >= 9 && hour(event.timestamp) < 17', 'no no no no no'],
  ['new Date(event.timestamp * 1000).getUTCHours() == 22', ALL],
  ['parseInt(event.check.interval) <= 30', 'no no no no yes'],
  ['event.check.occurrences_watermark >= 3', 'no no yes yes no'],
  ["['disk', 'keepalive'].indexOf(event.check.name) !== -1 ? true : false", ALL],
];

test('the documented table of v2 filter expressions equals the verdicts of the code', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/expressions.md'), 'utf8');
  const rows = text.split('\n').flatMap((line) => {
    const [, expression, ...verdicts] = line
      .replaceAll('\\|', '\0')
      .split('|')
      .map((cell) => cell.trim());
    if (expression?.startsWith('`') !== true || !/^(?:yes|no)$/.test(verdicts[0] ?? '')) return [];
    return [[expression.slice(1, -1).replaceAll('\0', '|'), verdicts.filter((verdict) => verdict !== '').join(' ')]];
  });
  expect(rows).toEqual(COMMON);
});

function evaluate(source: string, changes: EventChanges): string {
  const conditions = eventConditions([source]);
  if ('problem' in conditions) return conditions.problem;
  const { objection } = evaluateExpressions(conditions, { event: eventSubjectOf('prod', anEvent(changes)) }, MOMENT);
  return objection === undefined ? 'yes' : 'no';
}

test.each(COMMON)(
  'the v2 filter expression %s is true for create, repeat, resolve, flapping, keepalive: %s',
  (expression, verdicts) => {
    expect(EVENTS.map(([, event]) => evaluate(expression, event)).join(' ')).toBe(verdicts);
  },
);

describe('an expression of a v2 filter', () => {
  test.each([
    ['event.check.name.toUpperCase().substr(0, 2) + 1 == "DI1"', 'yes'],
    ["event.check.output.split(' ')[1] === 'full'", 'yes'],
    ["event.check.name.match(/^(?:disk|mem)$/) && !/^isk/.test('disk')", 'yes'],
    ['[1, 2, 3].map(x => x * 2).every((x) => x % 2 == 0)', 'yes'],
    ["'2' == 2 && '2' !== 2 && null == undefined && null !== undefined && !(0 == null)", 'yes'],
    ['Math.floor(2.7) + Math.max(1, 5) == 7 && 5 / 2 == 2.5 && 7 % 4 === 3', 'yes'],
    ["JSON.stringify([1, 'a']) == '[1,\"a\"]' && Object.keys(event.check.labels).length == 1", 'yes'],
    ['var limit = 3; var now = event.check.occurrences; now < limit', 'yes'],
    ['"constructor" in event', 'is invalid at character 15: the expression cannot continue with this: in event'],
    ["event.check.constructor || event['__proto__']", 'no'],
    ["''.constructor", 'no'],
    ['while (true) {}', 'is invalid at character 1: "while" is not supported: an expression cannot change anything'],
    ['event.check.status = 0', 'is invalid at character 20: the expression cannot continue with this: = 0'],
  ])('the v2 filter expression %s yields: %s', (source, expected) => {
    expect(evaluate(source, { check: CHECK })).toContain(expected);
  });

  // None of these expressions can be evaluated, so each counts as true and the event is handled.
  test.each(['nobody(1)', 'event.check.nothing.deeper', 'event.check.status()', 'event.check.output.match(/a/)[1]'])(
    'the v2 filter expression %s fails and counts as true',
    (source) => {
      expect(evaluate(source, { check: CHECK })).toBe('yes');
    },
  );

  test.each([
    [`'${'a'.repeat(4095)}'`, 'an expression has at most 4096 characters: shorten it'],
    [`1${'+1'.repeat(500)}`, 'an expression has at most 500 parts: split it'],
    [`${'('.repeat(33)}1${')'.repeat(33)}`, 'an expression is nested at most 32 deep'],
  ])('a v2 filter expression that is too large is rejected (case %#)', (source, message) => {
    expect(evaluate(source, { check: CHECK })).toContain(message);
  });

  const ONES = `[${Array.from({ length: 60 }, () => 1).join()}]`;

  // Each expression would be false if it were evaluated completely. It is aborted instead, and so counts as true.
  test.each([
    ['makes too many steps', `${ONES}.map(a => ${ONES}.map(b => ${ONES}.map(c => 1))).length == 0`],
    ['makes too long a text', "(event.check.output + event.check.output) == ''"],
    ['matches too long a pattern', `event.check.output.match('${'b'.repeat(257)}')`],
  ])('a v2 filter expression is aborted when it %s', (_what, source) => {
    expect(evaluate(source, { check: { ...CHECK, output: 'a'.repeat(40_000) } })).toBe('yes');
  });

  test('any v2 filter expression takes bounded time', () => {
    const nested = `${ONES}.map(a => ${ONES}.map(b => ${ONES}.map(c => ${ONES}.map(d => 1))))`;
    const begin = cpuMs();
    expect(evaluate(nested, { check: CHECK })).toBe('yes');
    expect(evaluate(`/(a+)+$/.test('${'a'.repeat(3000)}b')`, { check: CHECK })).toBe('no');
    expect(cpuMs() - begin).toBeLessThan(2000);
  });
});
