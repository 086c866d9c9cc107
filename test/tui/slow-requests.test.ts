import { describe, expect, test } from 'vitest';
import { openRig, type SeenRequest } from '../support/console-rig.ts';
import { SCENE } from '../support/console-scene.ts';

const F = 'db-014.eu-west-1/postgres-repl';

describe('a change whose request takes long', () => {
  test('the message line says that the request is under way until the backend has responded', async () => {
    const response = Promise.withResolvers<void>();
    const rig = await openRig({
      snapshot: SCENE,
      api: ({ path }) =>
        path === '/api/mon/v1/bulk' ? { status: 200, body: { results: [{ ok: true }] } } : { status: 404 },
      hold: ({ path }: SeenRequest) => (path === '/api/mon/v1/bulk' ? response.promise : undefined),
    });
    rig.type('r');
    await rig.shows('Resolve');
    rig.type('y');
    await rig.pass(299);
    expect(rig.screen.text).not.toContain('sending');
    await rig.pass(1);
    await rig.shows('sending …');
    await rig.pass(20_000);
    await rig.shows('sending …');
    response.resolve();
    await rig.shows(`1 event resolved: ${F}`);
    expect(rig.screen.text).not.toContain('sending');
    rig.type('L');
    await rig.shows('messages of this console');
    expect(rig.screen.text).not.toContain('sending');
  });
});

describe('a question that needs a number', () => {
  test('the hints of a question that needs a number do not offer the key y', async () => {
    const rig = await openRig({
      snapshot: { events: Object.fromEntries(Object.entries(SCENE.events ?? {}).flatMap(copies)) },
    });
    rig.type('ar');
    await rig.shows('to confirm');
    expect(rig.screen.lines.at(-1)).not.toContain('y yes');
    expect(rig.screen.lines.at(-1)).toContain('Esc no');
    rig.escape();
    rig.type('Ar');
    await rig.shows('y yes');
    expect(rig.screen.lines.at(-1)).toContain('y yes');
  });
});

/** Returns three copies of an event, on different clients. */
function copies<Row>([key, row]: readonly [string, Row]): readonly (readonly [string, Row])[] {
  if (row === null) return [];
  return [1, 2, 3].map((number) => [
    `${String(number)}-${key}`,
    { ...row, client: `${String(number)}-${key.split('/')[0] ?? ''}` },
  ]);
}

test('mon --open opens the console on an event, also before the feed has sent it', async () => {
  const rig = await openRig({
    snapshot: SCENE,
    parts: { opened: { key: F, client: 'db-014.eu-west-1', check: 'postgres-repl' } },
  });
  await rig.shows('events › db-014.eu-west-1 / postgres-repl');
  rig.escape();
  await rig.shows('12 of 12 events shown');
  expect(rig.screen.text).toContain('12 of 12 events shown');
});
