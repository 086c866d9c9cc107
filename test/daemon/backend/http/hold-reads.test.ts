import { expect, test } from 'vitest';
import { readCommitted } from '../../../../daemon/backend/http/hold-reads.ts';

/** Reads with the given states of the registry before and after each. */
async function read(
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

test('a chunk that is read while no large change is applied is read once', async () => {
  expect(await read([undefined, undefined])).toEqual({ value: 1, reads: 1 });
});

test('a chunk waits for a large change and is read again if one began meanwhile', async () => {
  expect(await read([true, true, undefined])).toEqual({ value: 2, reads: 2 });
});

test('a list is completed under a flood of large changes', async () => {
  expect(await read(Array.from({ length: 10 }, () => true))).toEqual({ value: 3, reads: 3 });
});

test('a list that was read while a large change failed is rejected', async () => {
  await expect(read([undefined, false])).rejects.toMatchObject({
    code: 'unavailable',
    message: 'cannot read the list, because a bulk change failed partway: try again',
  });
});
