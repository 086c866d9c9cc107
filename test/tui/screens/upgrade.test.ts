import { expect, test } from 'vitest';
import type { ConsoleRig, RigOptions } from '../../support/console-rig.ts';
import { openOverviewScene, overviewApi, SCENE_VERSIONS } from '../../support/overview-scene.ts';
import { sizesOf } from '../../support/golden-looks.ts';
import { expectGolden } from '../../support/screen.ts';

async function openUpgrade(options: RigOptions = {}): Promise<ConsoleRig> {
  const rig = await openOverviewScene(options);
  rig.type('7');
  await rig.pass(400);
  await rig.shows('19,950 clients');
  return rig;
}

test.each(sizesOf([{ view: 'upgrade' }]))(
  'the upgrade view is drawn at $columns x $rows',
  async ({ columns, rows }) => {
    const rig = await openUpgrade({ columns, rows });
    await expectGolden(rig.screen, `upgrade-${String(columns)}x${String(rows)}`);
    expect(rig.screen.lines.at(-1)).toContain('help');
    expect(rig.screen.text).toContain('0.9.2');
  },
);

test('the upgrade page scrolls if it does not fit on the screen', async () => {
  const rig = await openUpgrade({ columns: 80, rows: 24 });
  expect(rig.screen.text).not.toContain('HEALTH');
  rig.type('G');
  await rig.shows('HEALTH');
  expect(rig.screen.text).not.toContain('PLANS');
  rig.type('g');
  await rig.shows('PLANS');
  rig.type('j');
  await rig.showsNo('PLANS');
});

test('the upgrade page says that the console and its backend have different versions', async () => {
  const versions = { ...SCENE_VERSIONS, backend: { ...SCENE_VERSIONS.backend, version: '9.9.9' } };
  const rig = await openUpgrade({
    api: (request) =>
      request.path === '/api/mon/v1/versions' ? { status: 200, body: versions } : overviewApi(request),
  });
  expect(rig.row('this console')).toContain('backend differs');
});

test('the upgrade page shows the problems that the backend reports about itself', async () => {
  const rig = await openUpgrade({
    api: (request) =>
      request.path.startsWith('/health') ? { status: 412, body: ['not connected to transport'] } : overviewApi(request),
  });
  expect(rig.row('not connected')).toContain('not connected to transport');
});
