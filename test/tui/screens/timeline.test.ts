import { describe, expect, test, vi } from 'vitest';
import type { ConsoleRig } from '../../support/console-rig.ts';
import { LOOKS, scenesAt, sizesOf } from '../../support/golden-looks.ts';
import { openTimelineScene } from '../../support/timeline-scene.ts';
import { expectGolden } from '../../support/screen.ts';

interface Picture {
  readonly view: string;
  readonly play: (rig: ConsoleRig) => Promise<void>;
}

async function openTimeline(rig: ConsoleRig): Promise<void> {
  rig.type('t');
  await rig.shows('outage 3 of 3');
}

const PICTURES: readonly Picture[] = [
  { view: 'timeline', play: openTimeline },
  {
    view: 'timeline-outage',
    play: async (rig) => {
      await openTimeline(rig);
      rig.type('h');
      await rig.shows('outage 2 of 3');
    },
  },
  {
    view: 'report',
    play: async (rig) => {
      rig.type(':report\r');
      await rig.shows('report ›', 'still open');
    },
  },
  {
    view: 'timeline-search',
    play: async (rig) => {
      rig.type(':timeline kind=resolve\r');
      await rig.shows('timeline › kind=resolve', 'alice@ops');
    },
  },
];

describe.each(sizesOf(PICTURES))('at $columns x $rows', ({ columns, rows }) => {
  test.each(scenesAt(PICTURES, { columns, rows }))(
    'the timeline screen $view matches its picture',
    async ({ view, play }) => {
      const rig = await openTimelineScene({ columns, rows });
      await play(rig);
      await expectGolden(rig.screen, `${view}-${String(columns)}x${String(rows)}`);
      expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
      expect(rig.screen.lines.at(-1)).not.toBe('');
    },
  );
});

describe.each(LOOKS)('in $look', ({ look, theme, styled }) => {
  test('the timeline matches its styled picture', async () => {
    const rig = await openTimelineScene({ theme });
    await openTimeline(rig);
    await expectGolden(rig.screen, `timeline-${look}`, { styled });
    expect(rig.screen.lines.at(-1)).not.toBe('');
  });
});

describe('the timeline of a check', () => {
  test('the cursor of the timeline steps from outage to outage, and a message says when there is none', async () => {
    const rig = await openTimelineScene();
    await openTimeline(rig);
    rig.type('l');
    await rig.shows('no later outage');
    rig.type('hh');
    await rig.shows('outage 1 of 3', 'silenced for 2h');
    rig.type('h');
    await rig.shows('no earlier outage');
    rig.type('l');
    await rig.shows('outage 2 of 3');
    expect(rig.screen.text).toContain('outage 2 of 3');
  });

  test('the key B in a timeline shows the lists just before the selected outage began', async () => {
    const rig = await openTimelineScene();
    await openTimeline(rig);
    rig.type('h');
    await rig.shows('outage 2 of 3');
    rig.type('B');
    await vi.waitFor(() => expect(rig.requests.at(-1)?.path).toMatch(/timeline\/state/));
    // The outage began at 05:30.
    expect(rig.requests.at(-1)?.path).toContain(`at=${String(Date.UTC(2026, 10, 20, 5, 29, 59))}`);
  });

  test('Enter on a result of a timeline search opens the timeline of its check with that outage', async () => {
    const rig = await openTimelineScene();
    rig.type(':timeline kind=resolve\r');
    await rig.shows(/>07:00:00Z/);
    rig.type('j');
    await rig.shows(/>22:00:00Z/);
    rig.type('\r');
    await rig.shows('timeline › db-014.eu-west-1 / postgres-repl', 'outage 1 of 3');
    rig.escape();
    await rig.shows('timeline › kind=resolve', />22:00:00Z/);
    expect(rig.screen.text).not.toContain('outage');
  });

  test('the cursor of a timeline search moves to the match of a word, and Enter on an ended silence says so', async () => {
    const rig = await openTimelineScene();
    rig.type(':timeline kind!=new\r');
    await rig.shows('timeline › kind!=new', />11:57:00Z/);
    rig.type('/failover\r');
    await rig.shows(/>20:00:00Z +silence/);
    rig.type('\r');
    await rig.shows('this silence has ended');
    expect(rig.screen.text).toContain('timeline › kind!=new');
  });

  test('the timeline of a day shows times without dates, however long ago it was loaded', async () => {
    const rig = await openTimelineScene();
    await openTimeline(rig);
    await rig.pass(3000);
    expect(rig.screen.text).toMatch(/^ 12:00Z +00:00Z +12:00Z *$/m);
  });

  test('the timeline of a check is requested again for another span', async () => {
    const rig = await openTimelineScene();
    await openTimeline(rig);
    rig.type('t');
    await rig.shows('[week]', 'outage 3 of 3');
    rig.type('T');
    await rig.shows('[day]', 'outage 3 of 3');
    rig.type('T');
    await rig.shows('[hour]', 'outage 3 of 3');
    const asked = rig.requests
      .filter(({ path }) => path.includes('/timeline/'))
      .map(({ path }) => path.split('since=')[1]);
    expect(asked).toEqual([24, 168, 24, 1].map((hours) => String(rig.clock.now() - hours * 3_600_000)));
  });

  test('the timeline of a check opens from the detail of an event and returns to the detail', async () => {
    const rig = await openTimelineScene();
    rig.type('\r');
    await rig.shows('events ›', 'History');
    await openTimeline(rig);
    rig.type('q');
    await rig.shows('events ›', 'History');
    expect(rig.screen.text).toContain('events ›');
  });

  test('the timeline of a check without history says why it is empty', async () => {
    const rig = await openTimelineScene();
    rig.type('jt');
    await rig.shows('has no timeline');
    expect(rig.screen.text).toContain('has no timeline');
  });
});

describe('the report', () => {
  test('the report covers the time span that is typed', async () => {
    const rig = await openTimelineScene();
    const span = '7d';
    rig.type(`:report ${span}\r`);
    await rig.shows('last 7d', 'still open');
    const [, since] = rig.requests.find(({ path }) => path.includes('/report'))?.path.split('since=') ?? [];
    expect(since).toBe(String(rig.clock.now() - 7 * 86_400_000));
  });

  test('an invalid duration of a report is rejected on the line on which it was typed', async () => {
    const rig = await openTimelineScene();
    rig.type(':report tomorrow\r');
    await rig.shows('"tomorrow" is not a duration');
    expect(rig.screen.text).toContain('is not a duration');
  });

  test('the report can be searched like any text and copied as Markdown', async () => {
    const rig = await openTimelineScene();
    rig.type(':report\r');
    await rig.shows('report ›', 'still open');
    rig.type('/CHG-4401\r');
    await rig.shows('1 of 1');
    rig.type('c');
    await rig.shows('report copied');
    expect(rig.screen.text).toContain('report copied');
  });
});

test('an invalid search of the timeline says what is wrong', async () => {
  const rig = await openTimelineScene();
  rig.type(':timeline colour=red\r');
  await rig.shows('colour is no field');
  expect(rig.screen.text).toContain('colour is no field');
});
