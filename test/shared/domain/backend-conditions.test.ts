import { describe, expect, test } from 'vitest';
import {
  checksFinding,
  entitiesFinding,
  handlersFinding,
  onCallFinding,
  silencesFinding,
} from '../../../shared/domain/backend-conditions.ts';

const usage = (total: number, limit: number | 'unlimited' = 100) => ({ total, proxies: 1, limit });

describe('the condition of the entity limit', () => {
  test.each([
    { total: 79, previous: 0, status: 0, title: 'is OK below 80 %' },
    { total: 80, previous: 0, status: 1, title: 'is a warning from 80 % on' },
    { total: 100, previous: 0, status: 2, title: 'is critical at the limit' },
    { total: 140, previous: 0, status: 2, title: 'is critical above a limit that was lowered' },
    { total: 76, previous: 1, status: 1, title: 'stays a warning a little below 80 %' },
    { total: 74, previous: 1, status: 0, title: 'is OK again below 75 %' },
    { total: 96, previous: 2, status: 2, title: 'stays critical a little below the limit' },
    { total: 94, previous: 2, status: 1, title: 'is a warning again below 95 %' },
    { total: 10, previous: 2, status: 0, title: 'is OK at once when many entities were deleted' },
  ])('the condition of the entity limit $title', ({ total, previous, status }) => {
    expect(entitiesFinding(usage(total), [], previous).status).toBe(status);
  });

  test('the condition of the entity limit is critical when a small limit is reached, and OK with one entity less', () => {
    expect(entitiesFinding(usage(3, 3), [], 0).status).toBe(2);
    expect(entitiesFinding(usage(2, 3), [], 2).status).toBe(0);
  });

  test('the condition of the entity limit is OK without a limit', () => {
    expect(entitiesFinding(usage(100_000, 'unlimited'), [], 2).status).toBe(0);
  });

  test('the condition of the entity limit names the setting and at most ten rejected entities', () => {
    expect(entitiesFinding(usage(100), ['web-9', 'web-8'], 0).text).toBe(
      'entity-limit: 100 of 100 entities are in use (1 proxy entity), new agents and entities are rejected: ' +
        'web-8, web-9; raise entity-limit in the configuration of the backend, or delete clients that are gone',
    );
    const many = Array.from({ length: 30 }, (_, index) => `web-${String(index)}`);
    expect(entitiesFinding(usage(100), many, 0).text).toContain(' and 20 more; raise');
    expect(entitiesFinding(usage(85), [], 0).text).toMatch(
      /^entity-limit: 85 of 100 .* at 100 new ones are refused; raise/,
    );
  });
});

const failing = (failingSeconds: number | undefined, wasReported = failingSeconds === undefined) => ({
  name: 'slack',
  failingSeconds,
  wasReported,
  reason: 'HTTP 500',
});

describe('the condition of failing handlers', () => {
  test.each([
    { seconds: 599, status: 0, title: 'is OK while a handler fails for less than ten minutes' },
    { seconds: 600, status: 2, title: 'is critical from ten minutes on' },
    { seconds: undefined, status: 2, title: 'stays critical for a handler that failed before the backend started' },
  ])('the condition of failing handlers $title', ({ seconds, status }) => {
    expect(handlersFinding([failing(seconds)]).status).toBe(status);
  });

  test.each([
    { seconds: 5, text: 'notifications fail with no success (slack): HTTP 500' },
    { seconds: 7200, text: 'notifications fail for 2h with no success (slack): HTTP 500' },
  ])('a reported handler stays critical, and $seconds s after its first failure the text is "$text"', (about) => {
    const { status, text } = handlersFinding([failing(about.seconds, true)]);
    expect(status).toBe(2);
    expect(text.startsWith(`${about.text};`)).toBe(true);
  });

  test('the condition of failing handlers names each handler and the reason of the longest failure', () => {
    expect(handlersFinding([{ ...failing(700), name: 'mail', reason: 'refused' }, failing(7200)]).text).toBe(
      'notifications fail for 2h with no success (mail, slack): HTTP 500; see monctl handler list and monctl dead-letter list',
    );
  });
});

test('the backend condition of checks names each check that cannot run, with the reason', () => {
  expect(checksFinding([]).status).toBe(0);
  expect(checksFinding([{ name: 'disk', problem: 'no client has the subscription db' }])).toEqual({
    status: 1,
    text: '1 check never runs: disk (no client has the subscription db)',
    subjects: ['disk'],
  });
});

test('the backend condition of silences names the idle silences', () => {
  expect(silencesFinding([]).status).toBe(0);
  expect(silencesFinding(['web:*', 'db:*'])).toMatchObject({
    status: 1,
    text: '2 silences have matched no event for a long time: db:*, web:*; see monctl silence list --idle',
  });
});

describe('the condition of schedules', () => {
  const gap = { name: 'database', isNow: false, from: 'Sat 08:00', until: 'Sun 08:00' };

  test('the condition of schedules is OK if somebody is on call for all of them', () => {
    expect(onCallFinding([]).status).toBe(0);
  });

  test('the condition of schedules is a warning before nobody is on call', () => {
    expect(onCallFinding([gap])).toEqual({
      status: 1,
      text:
        'nobody will be on call for database from Sat 08:00 until Sun 08:00; ' +
        'see monctl on-call check, and add an override',
      subjects: ['database'],
    });
  });

  test('the condition of schedules is critical while nobody is on call', () => {
    expect(onCallFinding([gap, { ...gap, name: 'web', isNow: true }])).toEqual({
      status: 2,
      text: 'nobody is on call for web until Sun 08:00; see monctl on-call check, and add an override',
      subjects: ['database', 'web'],
    });
  });
});
