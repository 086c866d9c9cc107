import { expect, test } from 'vitest';
import { seededRandom } from '../../support/seeded-random.ts';
import { byKey, openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { anEventRow } from '../../support/feed-rows.ts';

/** More events than the largest screen of the test has rows. */
const EVENTS = Array.from({ length: 120 }, (_, index) =>
  anEventRow({ client: `web-${String(index).padStart(3, '0')}`, output: `数据 ${'overflow '.repeat(30)}` }),
);
const RESIZES = 30;
const REPAINT = '\u000C';

/** Without the pane, which is empty while its event is not loaded, every row of the screen has text. */
const NO_PANE = ':set pane off\r';

test.each([
  { over: 'the list', keys: NO_PANE },
  { over: 'the silence dialog', keys: `${NO_PANE}as` },
])('$over after several random resizes looks as if the screen always had the last size', async ({ keys }) => {
  const below = belowOf(seededRandom(20_261_120));
  const rig = await open(120, 36, keys);
  for (let resize = 0; resize < RESIZES; resize++) {
    const [columns, rows] = [55 + below(150), 14 + below(40)];
    rig.screen.resize(columns, rows);
    await rig.pass(100);
    const { lines } = rig.screen;
    const isTooSmall = columns < 60 || rows < 16;
    // The feed sends no frame during the resizes, so the console may show that it lags.
    expect(lines[0]).toMatch(isTooSmall ? /✗120/ : /LIVE|LAGGING/);
    expect(lines.at(-1)?.includes('keys need 60x16')).toBe(isTooSmall);
    const blank = keys !== NO_PANE || isTooSmall ? [] : lines.filter((line) => line === '');
    expect(blank).toEqual([]);
    // A repaint changes nothing, so the screen has no remains of an earlier size and no wrapped rows.
    if (resize % 5 === 0) rig.type(REPAINT);
    await rig.pass(0);
    expect(lines).toEqual(rig.screen.lines);
  }
  rig.screen.resize(100, 30);
  await rig.pass(100);
  const fresh = await open(100, 30, keys);
  await fresh.pass((RESIZES + 1) * 100);
  expect(rig.screen.lines).toEqual(fresh.screen.lines);
});

async function open(columns: number, rows: number, keys: string): Promise<ConsoleRig> {
  const rig = await openRig({ columns, rows, snapshot: { events: byKey(EVENTS) } });
  rig.type(keys);
  await rig.pass(500);
  return rig;
}

function belowOf(random: () => number): (limit: number) => number {
  return (limit) => Math.floor(random() * limit);
}
