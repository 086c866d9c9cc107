import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OnCallOverride, ScheduleDetail, ScheduleView } from '../../../../shared/schemas/on-call.ts';
import type { Answer } from '../../../support/raw-http.ts';
import { asking, type Ask } from '../../../support/asking.ts';
import { startBackend } from '../../../support/running-backend.ts';

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const SETTINGS = {
  handlers: { mail: PIPE },
  people: { ada: { notify: ['mail'] }, bob: { notify: ['mail'] }, cy: { notify: ['gone'] } },
  schedules: {
    database: { layers: [{ people: ['ada', 'bob'], handover: 'mon 09:00', starting: '2026-01-05' }] },
    weekend: { 'time-zone': 'Europe/Berlin', layers: [{ people: ['cy'], hours: 'sat-sun' }] },
  },
};
const SCHEDULES = '/api/mon/v1/schedules';
const DAY = 86_400;

let ask: Ask;
beforeEach(async () => {
  const backend = await startBackend({ settings: SETTINGS });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  ask = asking(backend.url);
});

const now = (): number => Math.floor(Date.now() / 1000);
const override = (body: object, schedule = 'database'): Promise<Answer> =>
  ask('POST', `${SCHEDULES}/${schedule}/overrides`, body);
const detail = async (query = ''): Promise<ScheduleDetail> =>
  (await ask('GET', `${SCHEDULES}/database${query}`)).body as ScheduleDetail;

describe('schedules in the mon API (on-call 3)', () => {
  test('a list of schedules shows who is on call at a time, and who cannot be notified', async () => {
    const at = Date.parse('2026-01-06T12:00:00Z');
    const { body } = await ask('GET', `${SCHEDULES}?at=${String(at)}`);
    expect(body).toEqual([
      {
        name: 'database',
        time_zone: 'UTC',
        on_call: { person: 'ada', layer: 1, until: Date.parse('2026-01-12T09:00:00Z') / 1000 },
        next: {
          person: 'bob',
          layer: 1,
          from: Date.parse('2026-01-12T09:00:00Z') / 1000,
          until: Date.parse('2026-01-19T09:00:00Z') / 1000,
        },
        unreachable: [],
      },
      {
        name: 'weekend',
        time_zone: 'Europe/Berlin',
        on_call: null,
        next: {
          person: 'cy',
          layer: 1,
          from: Date.parse('2026-01-09T23:00:00Z') / 1000,
          until: Date.parse('2026-01-11T23:00:00Z') / 1000,
        },
        unreachable: ['cy'],
      },
    ] satisfies ScheduleView[]);
  });

  test('a list of schedules contains shifts, gaps and overrides if the request has days', async () => {
    const { body } = await ask('GET', `${SCHEDULES}?days=2`);
    const [database, weekend] = body as ScheduleDetail[];
    const { shifts, gaps, overrides } = await detail('?days=2');
    expect(database).toMatchObject({ gaps, overrides });
    expect(database?.shifts.map(({ person }) => person)).toEqual(shifts.map(({ person }) => person));
    expect(weekend).toHaveProperty('gaps');
    expect((await ask('GET', `${SCHEDULES}?days=0`)).body).toMatchObject({ code: 'invalid' });
  });

  test('an override is in the shifts of its schedule until it is deleted, and both are audited', async () => {
    const from = now() + DAY;
    const made = await override({ person: 'cy', from, until: from + 3600, note: 'swap' });
    expect(made).toMatchObject({ status: 201, body: { person: 'cy', from, until: from + 3600, note: 'swap' } });
    const { id } = made.body as OnCallOverride;
    const { shifts, gaps, overrides, unreachable } = await detail('?days=2');
    expect(shifts).toContainEqual({ person: 'cy', from, until: from + 3600, override: id });
    expect(gaps).toEqual([]);
    expect(overrides).toEqual([made.body]);
    expect(unreachable).toEqual(['cy']);
    expect((await ask('DELETE', `${SCHEDULES}/weekend/overrides/${id}`)).status).toBe(404);
    expect((await ask('DELETE', `${SCHEDULES}/database/overrides/${id}`)).status).toBe(204);
    expect((await detail()).overrides).toEqual([]);
    expect((await ask('GET', '/api/mon/v1/audit?limit=2')).body).toMatchObject([
      { action: 'on-call.override-delete', target: 'database' },
      { action: 'on-call.override', target: 'database', reason: 'swap' },
    ]);
  });

  test('an override that begins now changes who is notified', async () => {
    await override({ person: 'cy', until: now() + 3600 });
    const { on_call: onCall } = await detail();
    expect(onCall).toMatchObject({ person: 'cy', until: expect.any(Number) });
    const result = { source: 'web-1', name: 'disk', status: 1, output: 'full', handlers: ['on-call/database'] };
    const { body } = await ask('POST', '/api/mon/v1/simulate', result);
    expect(body).toMatchObject({ handlers: [{ handler: 'gone', verdict: 'unknown_handler' }] });
  });

  test('a swap puts each person on call in the shift of the other, and is one record of the audit trail', async () => {
    const [first, second] = (await detail('?days=20')).shifts;
    const made = await ask('POST', `${SCHEDULES}/database/swaps`, {
      person: first?.person,
      other: second?.person,
      note: 'train',
      by: 'eve',
    });
    expect(made.status).toBe(201);
    const { overrides } = made.body as { readonly overrides: OnCallOverride[] };
    expect(overrides).toMatchObject([
      { person: second?.person, until: first?.until, by: 'eve', note: 'train' },
      { person: first?.person, from: second?.from, until: second?.until },
    ]);
    const { shifts } = await detail('?days=20');
    expect(shifts.slice(0, 2).map(({ person, override: id }) => ({ person, id }))).toEqual([
      { person: second?.person, id: overrides[0]?.id },
      { person: first?.person, id: overrides[1]?.id },
    ]);
    expect((await ask('GET', '/api/mon/v1/audit?limit=1')).body).toMatchObject([
      { action: 'on-call.swap', target: 'database', who: 'eve', reason: 'train' },
    ]);
  });

  test.each([
    {
      name: 'an unknown person',
      body: { person: 'ada', other: 'dan' },
      message: /^other: dan is not defined in people/,
    },
    { name: 'a person without a shift', body: { person: 'cy', other: 'ada' }, message: /^cy has no shift of database/ },
    { name: 'oneself', body: { person: 'ada', other: 'ada' }, message: /^other: must be another person/ },
  ])('a swap with $name is rejected, and nothing is changed', async ({ body, message }) => {
    const answer = await ask('POST', `${SCHEDULES}/database/swaps`, body);
    expect(answer.body).toMatchObject({ code: 'invalid', error: expect.stringMatching(message) as string });
    expect((await detail()).overrides).toEqual([]);
  });

  test.each([
    { name: 'an unknown person', body: { person: 'dan', until: 4_000_000_000 }, code: 'invalid' },
    { name: 'an end in the past', body: { person: 'ada', from: 1, until: 2 }, code: 'invalid' },
    {
      name: 'an end before its begin',
      body: { person: 'ada', from: 4_000_000_001, until: 4_000_000_000 },
      code: 'invalid',
    },
    {
      name: 'a duration of two years',
      body: { person: 'ada', from: 4_000_000_000, until: 4_070_000_000 },
      code: 'invalid',
    },
    { name: 'an end in two hundred years', body: { person: 'ada', until: 9_000_000_000 }, code: 'invalid' },
    { name: 'an unknown schedule', body: { person: 'ada', until: 4_000_000_000 }, code: 'not_found', at: 'other' },
  ])('an override with $name is rejected', async ({ body, code, at }) => {
    expect((await override(body, at)).body).toMatchObject({ code });
  });

  test('a calendar contains the shifts', async () => {
    const { status, text, headers } = await ask('GET', `${SCHEDULES}/database/calendar.ics`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/calendar; charset=utf-8' });
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\n[^]*SUMMARY:bob is on call for database\r\n[^]*END:VCALENDAR\r\n$/);
  });

  test('schedules are in the namespace default only', async () => {
    await ask('PUT', '/api/core/v2/namespaces/dev', { name: 'dev' });
    expect((await ask('GET', `${SCHEDULES}?namespace=dev`)).body).toEqual([]);
    expect((await ask('GET', `${SCHEDULES}/database?namespace=dev`)).status).toBe(404);
    expect((await ask('GET', `${SCHEDULES}/database?days=93`)).body).toMatchObject({ code: 'invalid' });
  });
});
