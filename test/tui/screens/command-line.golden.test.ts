import { describe, expect, test } from 'vitest';
import { openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { SCENE, SCENE_STATS } from '../../support/console-scene.ts';
import { expectGolden } from '../../support/screen.ts';
import { scenesAt, sizesOf } from '../../support/golden-looks.ts';

const PICTURES: readonly { readonly name: string; readonly play: (rig: ConsoleRig) => Promise<void> }[] = [
  {
    name: 'command-line',
    play: async (rig) => {
      rig.type(':sort c\t\t');
      await rig.shows(':sort check');
    },
  },
  {
    name: 'command-line-problem',
    play: async (rig) => {
      rig.type(':slience 2h CHG-4412\r');
      await rig.shows('did you mean silence?');
    },
  },
];

describe.each(sizesOf(PICTURES))('$columns x $rows', (size) => {
  test.each(scenesAt(PICTURES, size))('the command line matches the picture $name', async ({ name, play }) => {
    const rig = await openRig({ snapshot: SCENE, ...size });
    await rig.stats(SCENE_STATS);
    await rig.shows('99,409');
    await play(rig);
    expect(rig.screen.lines).toHaveLength(size.rows);
    await expectGolden(rig.screen, `${name}-${String(size.columns)}x${String(size.rows)}`);
  });
});
