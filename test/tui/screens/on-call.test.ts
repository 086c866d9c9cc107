import { describe, expect, test } from 'vitest';
import type { OnCallOverride, ScheduleDetail } from '../../../shared/schemas/on-call.ts';
import { openRig, type ConsoleRig, type RigOptions, type SeenRequest } from '../../support/console-rig.ts';
import { SCENE } from '../../support/console-scene.ts';
import { FEED_HELLO } from '../../support/feed-server.ts';
import { sizesOf } from '../../support/golden-looks.ts';
import { expectGolden } from '../../support/screen.ts';

const NOW = FEED_HELLO.time / 1000;
const DAY = 86_400;
const SCHEDULES = '/api/mon/v1/schedules';

const OVERRIDE: OnCallOverride = {
  id: 'o-1',
  schedule: 'database',
  person: 'cy',
  from: NOW + 5 * DAY,
  until: NOW + 7 * DAY,
  by: 'eve',
  note: 'ada is on a train',
  created_at: NOW - 60,
};

/** Returns the schedule `database`: ada, then bob, and cy for two days because of an override. */
function database(overrides: readonly OnCallOverride[]): ScheduleDetail {
  const isOverridden = overrides.length > 0;
  const ada = { person: 'ada', layer: 1 };
  return {
    name: 'database',
    time_zone: 'Europe/Berlin',
    on_call: { ...ada, until: isOverridden ? NOW + 5 * DAY : NOW + 8 * DAY },
    next: { person: 'bob', layer: 1, from: NOW + 8 * DAY, until: NOW + 14 * DAY },
    unreachable: [],
    shifts: [
      { ...ada, from: NOW, until: isOverridden ? NOW + 5 * DAY : NOW + 8 * DAY },
      ...(isOverridden
        ? [
            { person: 'cy', override: 'o-1', from: NOW + 5 * DAY, until: NOW + 7 * DAY },
            { ...ada, from: NOW + 7 * DAY, until: NOW + 8 * DAY },
          ]
        : []),
      { person: 'bob', layer: 1, from: NOW + 8 * DAY, until: NOW + 14 * DAY },
    ],
    gaps: [],
    overrides: overrides.map((override) => ({ ...override })),
  };
}

const WEEKEND: ScheduleDetail = {
  name: 'weekend',
  time_zone: 'UTC',
  on_call: null,
  next: { person: 'dan', layer: 1, from: NOW + 2 * DAY, until: NOW + 4 * DAY },
  unreachable: ['dan'],
  shifts: [{ person: 'dan', layer: 1, from: NOW + 2 * DAY, until: NOW + 4 * DAY }],
  gaps: [
    { from: NOW, until: NOW + 2 * DAY },
    { from: NOW + 4 * DAY, until: NOW + 14 * DAY },
  ],
  overrides: [],
};

/** A console on a simulated backend whose overrides the test controls. */
async function openScene(
  options: RigOptions & { readonly overrides?: readonly OnCallOverride[]; readonly hasWeekend?: boolean } = {},
): Promise<ConsoleRig & { readonly changes: SeenRequest[]; setOverrides: (now: readonly OnCallOverride[]) => void }> {
  const { overrides: initial = [OVERRIDE], hasWeekend = true, ...rest } = options;
  let overrides = initial;
  const changes: SeenRequest[] = [];
  const rig = await openRig({
    snapshot: SCENE,
    api: (request) => {
      const { method, path } = request;
      if (path.startsWith(`${SCHEDULES}?`)) {
        return { status: 200, body: [database(overrides), ...(hasWeekend ? [WEEKEND] : [])] };
      }
      if (method === 'GET' && path.startsWith(`${SCHEDULES}/database`))
        return { status: 200, body: database(overrides) };
      if (!path.startsWith(SCHEDULES)) return { status: 404 };
      changes.push(request);
      if (method === 'DELETE') {
        overrides = [];
        return { status: 204 };
      }
      overrides = [OVERRIDE];
      return { status: 201, body: OVERRIDE };
    },
    ...rest,
  });
  return Object.assign(rig, {
    changes,
    setOverrides: (now: readonly OnCallOverride[]) => {
      overrides = now;
    },
  });
}

async function openOnCall(rig: ConsoleRig): Promise<void> {
  rig.type(':on-call\r');
  await rig.shows('SCHEDULE', 'database');
}

describe.each(sizesOf([{ view: 'on-call' }]))('at $columns x $rows', ({ columns, rows }) => {
  test('the list of schedules, one schedule and the dialog of an override match their pictures', async () => {
    const size = `${String(columns)}x${String(rows)}`;
    const rig = await openScene({ columns, rows });
    await openOnCall(rig);
    await expectGolden(rig.screen, `on-call-${size}`);
    rig.type('P');
    await rig.shows('Override database', 'Person');
    await expectGolden(rig.screen, `on-call-override-${size}`);
    rig.escape();
    rig.type('\r');
    await rig.shows('on call › database', 'shifts and gaps');
    await expectGolden(rig.screen, `on-call-schedule-${size}`);
    expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
  });
});

describe('the view of on-call schedules', () => {
  test('an override that another console creates is shown within two seconds', async () => {
    const rig = await openScene({ overrides: [] });
    await openOnCall(rig);
    expect(rig.row('database')).not.toContain('c');
    rig.setOverrides([OVERRIDE]);
    await rig.pass(2000);
    await rig.shows(/database .*aaaac+/);
  });

  test('the dialog of an override sends the times that the user typed, and the new override is shown', async () => {
    const rig = await openScene({ overrides: [] });
    await openOnCall(rig);
    rig.type('Pcy\t\u0015in 5d\t2d\ttrain\r');
    await rig.shows('cy is on call for database until', /database .*aaaac+/);
    const [request] = rig.changes;
    expect(request).toMatchObject({ method: 'POST', path: `${SCHEDULES}/database/overrides` });
    expect(request?.body).toMatchObject({
      person: 'cy',
      from: NOW + 5 * DAY,
      until: NOW + 7 * DAY,
      note: 'train',
    });
  });

  test.each([
    { keys: 'P\u0013', says: 'enter the name of a person' },
    { keys: 'Pcy\u0013', says: 'enter when the override ends' },
    { keys: 'Pcy\t\ttomorow\u0013', says: 'Until:' },
  ])('the dialog of an override says what is missing: $says', async ({ keys, says }) => {
    const rig = await openScene();
    await openOnCall(rig);
    rig.type(keys);
    await rig.shows(says);
    expect(rig.changes).toEqual([]);
  });

  test('an override is deleted after a confirmation, from the list and from the screen of the schedule', async () => {
    const rig = await openScene();
    await openOnCall(rig);
    rig.type('\r');
    await rig.shows('on call › database', 'ada is on a train');
    rig.type('D');
    await rig.shows('Delete the override of database');
    rig.type('y');
    await rig.shows('deleted the override of cy for database');
    expect(rig.changes).toMatchObject([{ method: 'DELETE', path: `${SCHEDULES}/database/overrides/o-1` }]);
    await rig.showsNo('ada is on a train');
    rig.type('D');
    await rig.shows('database has no override');
  });

  test('overrides cannot be changed in a read-only console', async () => {
    const rig = await openScene({ readOnly: true });
    await openOnCall(rig);
    rig.type('P');
    await rig.shows('P is disabled');
    expect(rig.changes).toEqual([]);
  });
});

describe('who is on call in the header', () => {
  test('a wide header shows the person on call and the end of the shift', async () => {
    const rig = await openScene({ columns: 140, rows: 36, hasWeekend: false });
    await rig.shows(/on call: ada until \w{3} \d\d:\d\d/);
    expect(rig.row('on call:')).toContain('silenced');
  });

  test('a wide header warns if nobody is on call for a schedule', async () => {
    const rig = await openScene({ columns: 140, rows: 36 });
    await rig.shows('on call: nobody for weekend');
    expect(rig.screen.text).not.toContain('on call: ada');
  });
});
