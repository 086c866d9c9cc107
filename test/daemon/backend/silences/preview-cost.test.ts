import { expect, onTestFinished, test } from 'vitest';
import { countCoveredEvents } from '../../../../daemon/backend/silences/covered-events.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';

test('a preview of silences that would cost too much is rejected with a remedy', async () => {
  const rig = await HandlingRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const results = Array.from({ length: 200 }, (_, at) => ({
    source: `web-${String(at)}`,
    name: 'disk',
    output: '',
    status: 2,
  }));
  await rig.results.submit(DEFAULT_NAMESPACE, results);
  const namespace = rig.registry.namespace(DEFAULT_NAMESPACE);
  const preview = (costMax?: number): ReturnType<typeof countCoveredEvents> =>
    countCoveredEvents(namespace, [{ selector: 'check!=backup' }], rig.clock.now(), costMax);
  expect(await preview()).toMatchObject({ total: 200 });
  expect(await preview(200 * 200)).toMatchObject({ total: 200 });
  await expect(preview(5000)).rejects.toMatchObject({
    code: 'threshold',
    message: expect.stringContaining(
      'preview fewer selectors at once, or add a client or a check to each selector',
    ) as string,
  });
});
