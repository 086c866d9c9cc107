import { MonError } from '../../../shared/errors.ts';
import { Turns } from '../store/turns.ts';

/**
 * For answers that take memory for as long as they are made: one after the other.
 *
 * @param most how many there are at once, with the one that is made
 * @param refusal what whoever comes beyond that is told
 * @throws MonError `unavailable`
 */
export function oneAtATime(most: number, refusal: string): <Result>(make: () => Promise<Result>) => Promise<Result> {
  const turns = new Turns();
  let there = 0;
  return async (make) => {
    if (there >= most) throw new MonError('unavailable', refusal);
    there++;
    try {
      return await turns.take(make);
    } finally {
      there--;
    }
  };
}
