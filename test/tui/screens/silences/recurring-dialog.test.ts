import { describe, expect, test } from 'vitest';
import type { RecentProblems } from '../../../../shared/schemas/silence-preview.ts';
import type { SilencedRow } from '../../../../shared/schemas/feed.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { byKey } from '../../../support/console-rig.ts';
import { anEventRow, aSilencedRow } from '../../../support/feed-rows.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const NOW = ManualClock.START_MS / 1000;
const SHIFT_TAB = '\u001B[Z';
const LEFT = '\u001B[D';
const CLEAR = '\u0015';
const SEND = '\u0013';
/** Keys for the silence dialog of an event: they move from the reason to the start, and there to the last choice. */
const RECURS = `${SHIFT_TAB}${LEFT}`;
/** Keys for the silence dialog of an event: they move from the reason to the scope, and there to the last choice. */
const SEARCH = `${SHIFT_TAB.repeat(4)}${LEFT}`;

const NIGHTLY = { schedule: 'daily 02:00', zone: 'UTC', duration: 3600 };

function recurring(about: Partial<SilencedRow> = {}): SilencedRow {
  return aSilencedRow({
    id: 'client:a:disk',
    subscription: 'client:a',
    check: 'disk',
    creator: 'bob',
    reason: 'backup',
    timestamp: NOW - 60,
    begin: NOW + 7200,
    expire_at: NOW + 10_800,
    recurrence: NIGHTLY,
    ...about,
  });
}

function opened(silenced: readonly SilencedRow[] = []): ConsoleDriver {
  return new ConsoleDriver().goLive({
    events: byKey([anEventRow({ client: 'a', check: 'disk' }), anEventRow({ client: 'b', check: 'load' })]),
    silenced: Object.fromEntries(silenced.map((row) => [row.id, row])),
  });
}

function onSilences(rows: readonly SilencedRow[]): ConsoleDriver {
  const driver = opened(rows);
  driver.type('3');
  driver.pass(400);
  return driver;
}

/** Returns the problem that the open silence dialog shows, if there is one. */
function problem({ store }: ConsoleDriver): string | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'silence' ? layer.form.problem : undefined;
}

function field({ store }: ConsoleDriver): string | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'silence' ? layer.form.field : undefined;
}

/** Waits until the silence dialog requests a count of recent problems, and responds with this count. */
function respondWithProblems(driver: ConsoleDriver, problems: Partial<RecentProblems>): unknown {
  driver.pass(200);
  const question = driver.store.takeEffects().findLast((effect) => effect.kind === 'load-silence-recent');
  if (question?.kind !== 'load-silence-recent') throw new Error('the backend was not asked');
  driver.store.silenceRecent.answered(question.key, { recovered: 0, since: 0, ...problems });
  return question;
}

/** Returns the keys of the scopes for which the silence dialog has requested a count. */
function requestedScopes(driver: ConsoleDriver): readonly string[] {
  return driver.store.takeEffects().flatMap((effect) => (effect.kind === 'load-silence-recent' ? [effect.key] : []));
}

function sent(driver: ConsoleDriver): readonly unknown[] {
  return driver.effects().flatMap((effect) => (effect.kind === 'change' ? effect.change.operations : []));
}

describe('a recurring silence in the silence dialog', () => {
  test('the dialog sends a recurring silence once the backend has returned its windows, and S repeats it', () => {
    const driver = opened();
    driver.type(`sbackup${RECURS}\tsat,sun 02:00\t${CLEAR}Europe/Berlin\t${CLEAR}2h\t2026-02-01\t2026-03-01${SEND}`);
    expect(problem(driver)).toContain('still loading the next windows');
    const recurrence = {
      schedule: 'sat,sun 02:00',
      zone: 'Europe/Berlin',
      duration: 7200,
      first_day: '2026-02-01',
      last_day: '2026-03-01',
    };
    expect(respondWithProblems(driver, { windows: [] })).toMatchObject({ recurrence });
    driver.type(SEND);
    const [operation] = sent(driver);
    expect(operation).toMatchObject({ op: 'silence', reason: 'backup', recurrence });
    expect(operation).not.toHaveProperty('expire');
    driver.type('jSy');
    expect(sent(driver).at(-1)).toMatchObject({ op: 'silence', recurrence });
  });

  test('the dialog sends no recurring silence to an older backend, which would silence without an end', () => {
    const driver = opened();
    driver.type(`sbackup${RECURS}\tdaily 02:00`);
    respondWithProblems(driver, {});
    driver.type(SEND);
    expect(problem(driver)).toContain('this backend does not support recurring silences');
    expect(sent(driver)).toEqual([]);
  });

  test.each([
    { typed: '', says: 'no schedule', at: 'schedule' },
    { typed: 'sat', says: 'is not a time of day', at: 'schedule' },
    { typed: `daily 02:00\t${CLEAR}Berlin`, says: 'is not a time zone', at: 'zone' },
    { typed: `daily 02:00\t\t${CLEAR}1d`, says: 'would overlap', at: 'lasts' },
    { typed: 'daily 02:00\t\t\ttomorrow', says: 'is not a day', at: 'first-day' },
    { typed: 'daily 02:00\t\t\t\t2025-01-01', says: 'no window starts before', at: 'last-day' },
  ])('the dialog says what is wrong with a recurring silence and moves to that field: $says', ({ typed, says, at }) => {
    const driver = opened();
    driver.type(`sbackup${RECURS}\t${typed}${SEND}`);
    expect(problem(driver)).toContain(says);
    expect(field(driver)).toBe(at);
    expect(sent(driver)).toEqual([]);
  });

  test('a recurring silence keeps its schedule when another attribute is changed', () => {
    const driver = onSilences([recurring()]);
    driver.type('e');
    expect(field(driver)).toBe('schedule');
    driver.change({ silenced: { 'client:a:disk': recurring({ begin: NOW + 93_600, expire_at: NOW + 97_200 }) } });
    driver.type(`\t\t${CLEAR}30m${SEND}`);
    expect(problem(driver)).toBeUndefined();
    const [operation] = sent(driver);
    expect(operation).toMatchObject({ op: 'silence', creator: 'bob', recurrence: { ...NIGHTLY, duration: 1800 } });
    expect(operation).not.toHaveProperty('begin');
  });

  test('a recurring silence keeps its schedule when it is extended together with other silences', () => {
    const once = aSilencedRow({ id: '*:load', subscription: null, check: 'load', timestamp: NOW, expire_at: NOW + 60 });
    const driver = onSilences([recurring(), once]);
    driver.type(`  e4h${SEND}`);
    const operations = sent(driver) as { check: string; expire?: number; recurrence?: object }[];
    expect(operations.find(({ check }) => check === 'disk')).toMatchObject({ recurrence: NIGHTLY });
    expect(operations.find(({ check }) => check === 'load')).toMatchObject({ expire: 14_400 });
  });

  test('the dialog rejects replacing a recurring silence by a single silence before it sends a request', () => {
    const driver = opened([recurring()]);
    driver.type(`swhy${SEND}`);
    expect(problem(driver)).toBe('a / disk recurs (daily 02:00 UTC): end it first, or silence by search');
    expect(sent(driver)).toEqual([]);
  });
});

describe('a silence by search in the silence dialog', () => {
  test('a silence by search begins with the filter of the list and is sent once the backend has counted matches', () => {
    const driver = opened();
    driver.type(`/client=a\rswhy${SEARCH}`);
    expect(respondWithProblems(driver, {})).toMatchObject({ entries: [{ selector: 'client=a' }] });
    driver.type(`\t env=prod`);
    respondWithProblems(driver, {
      events: { total: 1, critical: 1, warning: 0, unknown: 0, ok: 0, silenced: 0, first: [] },
    });
    driver.type(SEND);
    expect(sent(driver)).toMatchObject([{ op: 'silence', selector: 'client=a env=prod', expire: 3600, reason: 'why' }]);
  });

  test('a silence by search does not begin with filter terms that selectors do not support', () => {
    const driver = opened();
    driver.type(`/status=2 client=a\rswhy${SEARCH}${SEND}`);
    expect(problem(driver)).toContain('a selector needs at least one condition');
    expect(field(driver)).toBe('selector');
  });

  test('an invalid silence by search shows the reason and sends no request', () => {
    const driver = opened();
    driver.type(`swhy${SEARCH}\toutput~full`);
    driver.pass(200);
    expect(driver.store.takeEffects().filter(({ kind }) => kind === 'load-silence-recent')).toEqual([]);
    driver.type(SEND);
    expect(problem(driver)).toContain('changes with every result');
  });
});

describe('the requests of the silence dialog', () => {
  test('the silence dialog requests recently recovered events each time it is opened', () => {
    const driver = opened();
    driver.type('s');
    respondWithProblems(driver, { recovered: 7 });
    driver.escape();
    driver.type('s');
    const layer = driver.store.state.layers.at(-1);
    expect(layer?.kind === 'silence' && driver.store.silenceRecent.of(layer.form)).toBeUndefined();
    driver.pass(200);
    expect(requestedScopes(driver)).toHaveLength(1);
  });

  test('the silence dialog retries after a delay when its request failed', () => {
    const driver = opened();
    driver.type('s');
    driver.pass(200);
    const [key = ''] = requestedScopes(driver);
    driver.store.silenceRecent.failed(key, driver.clock.now());
    driver.pass(1900);
    expect(requestedScopes(driver)).toEqual([]);
    driver.pass(200);
    expect(requestedScopes(driver)).toEqual([key]);
  });
});
