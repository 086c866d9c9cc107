import { expect, test } from 'vitest';
import { eventOf, openRig, type RigOptions } from '../../support/console-rig.ts';
import { SCENE, SCENE_EVENTS, SCENE_STATS } from '../../support/console-scene.ts';
import { sizesOf } from '../../support/golden-looks.ts';
import { expectGolden } from '../../support/screen.ts';

const api: NonNullable<RigOptions['api']> = ({ path }) => {
  const row = SCENE_EVENTS.find(({ client, check }) => path === `/events/${client}/${check}`);
  if (row === undefined) return { status: 404 };
  return { status: 200, body: eventOf(row, { runbook: 'https://wiki.example.com/pg-repl', interval: 30 }) };
};

test.each(sizesOf([{ view: 'menu-copy' }]))(
  'the copy menu at $columns x $rows lists what can be copied',
  async ({ columns, rows }) => {
    // The address of the scripted backend differs in each run, so the search below hides the commands that contain it.
    const rig = await openRig({ columns, rows, snapshot: SCENE, api });
    await rig.stats(SCENE_STATS);
    await rig.shows('99,409');
    await rig.pass(1000);
    if (rows >= 30) await rig.shows('history');
    rig.type('c');
    await rig.shows('Copy of', 'curl command');
    rig.type('cli');
    await rig.showsNo('curl command');
    await expectGolden(rig.screen, `menu-copy-${String(columns)}x${String(rows)}`);
    expect(rig.row('> client')).toContain('db-014.eu-west-1');
  },
);

test.each(sizesOf([{ view: 'menu-runbook' }]))(
  'the link to a runbook is drawn at $columns x $rows',
  async ({ columns, rows }) => {
    const rig = await openRig({ columns, rows, snapshot: SCENE, api });
    await rig.stats(SCENE_STATS);
    await rig.shows('99,409');
    await rig.pass(1000);
    if (rows >= 30) await rig.shows('history');
    rig.type('b');
    await rig.shows('https://wiki.example.com/pg-repl');
    await expectGolden(rig.screen, `menu-runbook-${String(columns)}x${String(rows)}`);
    expect(rig.row('Runbook of')).toContain('postgres-repl');
  },
);
