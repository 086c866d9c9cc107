import { MonError } from '../../../shared/errors.ts';
import { SerialQueue } from '../store/serial-queue.ts';

/**
 * Runs tasks one after another that use much memory while they build a response.
 *
 * @param most maximum number of tasks, including the running one
 * @param refusal the error message for further tasks
 * @throws MonError `unavailable`
 */
export function oneAtATime(most: number, refusal: string): <Result>(make: () => Promise<Result>) => Promise<Result> {
  const queue = new SerialQueue();
  let there = 0;
  return async (make) => {
    if (there >= most) throw new MonError('unavailable', refusal);
    there++;
    try {
      return await queue.take(make);
    } finally {
      there--;
    }
  };
}
