import { expect, test } from 'vitest';
import { oneAtATime } from '../../../../daemon/backend/http/one-at-a-time.ts';

test('expensive responses are computed one after the other, and requests beyond the limit are rejected', async () => {
  const inTurn = oneAtATime(2, 'too many wait');
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const make = (name: string, answer: Promise<string>): Promise<string> =>
    inTurn(() => {
      begun.push(name);
      return answer;
    });
  const one = make('one', first.promise);
  const two = make('two', Promise.reject(new Error('broken')));
  await expect(make('three', Promise.resolve('3'))).rejects.toMatchObject({
    code: 'unavailable',
    message: 'too many wait',
  });
  expect(begun).toEqual(['one']);
  first.resolve('1');
  expect(await one).toBe('1');
  await expect(two).rejects.toThrow('broken');
  expect(await make('four', Promise.resolve('4'))).toBe('4');
  expect(begun).toEqual(['one', 'two', 'four']);
});
