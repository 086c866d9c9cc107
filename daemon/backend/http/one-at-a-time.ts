import { MonError } from '../../../shared/errors.ts';
import { SerialQueue } from '../store/serial-queue.ts';

/**
 * Returns a function that runs tasks one at a time, because each task uses much memory while it builds a response.
 *
 * @param most maximum number of running and waiting tasks
 * @param refusal error message for further tasks
 * @throws MonError `unavailable` from the returned function, if there are too many tasks
 */
export function oneAtATime(most: number, refusal: string): <Result>(make: () => Promise<Result>) => Promise<Result> {
  const queue = new SerialQueue();
  let there = 0;
  return async (make) => {
    if (there >= most) throw new MonError('unavailable', refusal);
    there++;
    try {
      return await queue.run(make);
    } finally {
      there--;
    }
  };
}
