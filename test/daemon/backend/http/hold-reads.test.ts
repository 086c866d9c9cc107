import { expect, test } from 'vitest';
import { readCommitted } from '../../../../daemon/backend/http/hold-reads.ts';

/**
 * Reads with these outcomes of the large changes that the reader waits for: `undefined` if there is none, `true` if the
 * change succeeds, `false` if it fails.
 */
async function readThrough(
  states: readonly (boolean | undefined)[],
): Promise<{ readonly value: number; readonly reads: number }> {
  let [reads, asked] = [0, 0];
  const value = await readCommitted(
    async () => ++reads,
    () => {
      const state = states[asked++];
      return state === undefined ? undefined : Promise.resolve(state);
    },
  );
  return { value, reads };
}

test('a part of a list that is read while no bulk change is applied is read once', async () => {
  expect(await readThrough([undefined, undefined])).toEqual({ value: 1, reads: 1 });
});

test('a list waits for a bulk change in progress and is read again if one began during the read', async () => {
  expect(await readThrough([true, true, undefined])).toEqual({ value: 2, reads: 2 });
});

test('a list is completed after three reads, even under constant bulk changes', async () => {
  expect(await readThrough(Array.from({ length: 10 }, () => true))).toEqual({ value: 3, reads: 3 });
});

test('a list that was read while a bulk change failed is rejected', async () => {
  await expect(readThrough([undefined, false])).rejects.toMatchObject({
    code: 'unavailable',
    message: 'cannot read the list, because a bulk change failed partway: try again',
  });
});
