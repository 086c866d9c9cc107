import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { bindKeys } from '../../tui/state/keys.ts';
import { helpLines } from '../../tui/screens/help/lines.ts';
import { openRig } from '../support/console-rig.ts';
import { SCENE } from '../support/console-scene.ts';

const F9 = '\u001B[20~';
const CTRL_T = '\u0014';

beforeEach(() => {
  bindKeys({ lock: ['f9'], silence: ['ctrl-t', 'f8'], down: ['n', 'down'] });
  onTestFinished(() => bindKeys({}));
});

test('configured keys trigger their actions, and the default keys of these actions do nothing', async () => {
  const rig = await openRig({ snapshot: SCENE });
  rig.type(`s${CTRL_T}`);
  await rig.shows('Silence db-014.eu-west-1/postgres-repl');
  rig.escape();
  await rig.showsNo('Silence db-014');
  rig.type('jnn');
  await rig.shows(/^>.*web-007/m);
  rig.type('!');
  await rig.pass(100);
  expect(rig.screen.text).toContain('(rw)');
});

test('the texts of the console name the configured keys instead of the default keys', async () => {
  const rig = await openRig({ snapshot: SCENE });
  expect(rig.screen.lines.at(-1)).toMatch(/^ Ctrl-T silence /);
  rig.type(F9);
  await rig.shows('F9 unlocks');
  rig.type(CTRL_T);
  await rig.shows('Ctrl-T is disabled: the console is locked, F9 unlocks it');
  expect(helpLines('events')).toContainEqual(expect.objectContaining({ action: 'silence', keys: 'Ctrl-T F8' }));
});
