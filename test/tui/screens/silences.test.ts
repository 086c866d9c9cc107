import { expect, test } from 'vitest';
import type { ConsoleRig, RigOptions } from '../../support/console-rig.ts';
import { openScene } from '../../support/console-scene.ts';
import { silenceApi, SILENCE_SCENE, WEEKLY } from '../../support/silence-scene.ts';
import { testPictures, type Picture } from '../../support/pictures.ts';

const SHIFT_TAB = '\u001B[Z';
const RIGHT = '\u001B[C';
const LEFT = '\u001B[D';
const CLEAR = '\u0015';

const PICTURES: readonly Picture[] = [
  { view: 'silences', play: openSilences },
  {
    view: 'silence-entry',
    play: async (rig) => {
      await openSilences(rig);
      rig.type('\r');
      await rig.shows('covers now: 2 events');
    },
  },
  {
    view: 'silence-change',
    play: async (rig) => {
      await openSilences(rig);
      rig.type('e');
      await rig.shows('unchanged', 'CHG-*');
      rig.type(`4h\t\tthe mover is slow`);
      await rig.shows('the mover is slow');
    },
  },
  {
    view: 'silences-show',
    play: async (rig) => {
      await openSilences(rig);
      rig.type('f');
      await rig.shows('matching no event now');
    },
  },
  {
    view: 'silences-end',
    play: async (rig) => {
      await openSilences(rig);
      rig.type('  u');
      await rig.shows('End 2 silences');
    },
  },
  {
    view: 'silence-wide',
    play: async (rig) => {
      // The keys open a silence on the event of bob's silence. It is for all checks of a subscription, and longer than
      // allowed.
      rig.type(`Gs`);
      await rig.shows('CHG-*');
      rig.type(`${SHIFT_TAB.repeat(3)}${RIGHT.repeat(5)}${SHIFT_TAB}${RIGHT}`);
      await rig.shows('within 8h', 'all clients');
      await rig.pass(200);
      await rig.shows('also in the last 24 h: 5 checks that recovered');
    },
  },
  {
    view: 'silence-recurs',
    play: async (rig) => {
      rig.type('s');
      await rig.shows('CHG-*');
      rig.type(`CHG-4431 backup${SHIFT_TAB}${LEFT}`);
      await rig.shows('[recurs…]', 'no schedule');
      rig.type(`\tsat,sun 02:00\t${CLEAR}Europe/Berlin\t${CLEAR}2h\t2027-03-20`);
      await rig.shows('Sun 2027-03-28 03:00 to 05:00 (01:00Z) *', 'the start falls into');
    },
  },
  {
    view: 'silence-recurs-problem',
    play: async (rig) => {
      rig.type('s');
      await rig.shows('CHG-*');
      rig.type(`CHG-4431 backup${SHIFT_TAB}${LEFT}\tsat 25:00`);
      await rig.shows('invalid: see below', '"25:00" is not a time of day');
    },
  },
  {
    view: 'silence-search',
    play: async (rig) => {
      rig.type('/client~web-*\rs');
      await rig.shows('CHG-*');
      rig.type(`CHG-4432${SHIFT_TAB.repeat(4)}${LEFT}`);
      await rig.shows('(•) everything matching a search', 'client~web-*');
      rig.type(`\t env=prod`);
      await rig.pass(200);
      await rig.shows('matches now: 4 events', '[ Silence 4 events ]');
    },
  },
  {
    view: 'silence-search-problem',
    play: async (rig) => {
      rig.type('s');
      await rig.shows('CHG-*');
      rig.type(`CHG-4432${SHIFT_TAB.repeat(4)}${LEFT}\tstatus=2`);
      await rig.shows('changes with every result');
    },
  },
  {
    view: 'silences-recurring',
    play: async (rig) => {
      await openSilences(rig);
      await rig.change({ silenced: { [WEEKLY.id]: WEEKLY } });
      await rig.shows('recurs sat');
    },
  },
  {
    view: 'silence-entry-recurring',
    play: async (rig) => {
      await openSilences(rig);
      await rig.change({ silenced: { [WEEKLY.id]: WEEKLY } });
      rig.type(`/web-001\r`);
      await rig.shows(/1(?:\/| of )7/);
      rig.type('\r');
      await rig.shows('recurs', 'windows', 'Sat 2026-11-21 02:00 to 04:00 (01:00Z)');
    },
  },
  {
    view: 'silence-change-recurring',
    play: async (rig) => {
      await openSilences(rig);
      await rig.change({ silenced: { [WEEKLY.id]: WEEKLY } });
      rig.type(`/web-001\r`);
      await rig.shows(/1(?:\/| of )7/);
      rig.type('e');
      await rig.shows('Change: web-001.eu-west-1 / all checks', 'sat,sun 02:00');
      rig.type(`\t\t${CLEAR}3h`);
      await rig.shows('02:00 to 05:00');
    },
  },
];

testPictures(PICTURES, async ({ play }, options) => {
  const rig = await openSilenceScene(options);
  await play(rig);
  return rig;
});

test('the silence dialog shows its buttons on the smallest screen', async () => {
  const rig = await openSilenceScene({ columns: 60, rows: 16 });
  rig.type('Gs');
  await rig.shows('[ Silence 1 event ]');
  rig.type('\u0013');
  await rig.shows('a reason is required');
  expect(rig.screen.text).toContain('[ Silence 1 event ]');
});

const openSilenceScene = (options: RigOptions): Promise<ConsoleRig> =>
  openScene({ snapshot: SILENCE_SCENE, api: silenceApi, ...options });

async function openSilences(rig: ConsoleRig): Promise<void> {
  rig.type('3');
  await rig.pass(400);
  await rig.shows('CREATOR', 'ntp-001');
  if (rig.screen.text.includes('SUPPRESS')) await rig.shows('1204');
}
