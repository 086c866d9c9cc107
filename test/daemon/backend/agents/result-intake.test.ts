import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResultIntake } from '../../../../daemon/backend/agents/result-intake.ts';
import type { Cancellation } from '../../../../daemon/backend/results/agent-delivery.ts';
import { MonError } from '../../../../shared/errors.ts';

/** A queue and a store as a `ResultIntake` uses them, controlled by the test. */
class Queue {
  readonly committed: unknown[] = [];
  isPaused = false;
  isWaiting = false;
  readonly intake: ResultIntake;
  readonly #limit: number;
  #queue: { result: unknown; cancellation: Cancellation; settle: (error: MonError | undefined) => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
    this.intake = new ResultIntake({
      submit: (result, cancellation, settle) => {
        if (this.#queue.length >= this.#limit) throw new MonError('unavailable', 'the queue of results is full');
        this.#queue.push({ result, cancellation, settle });
      },
      pause: () => (this.isPaused = true),
      resume: () => (this.isPaused = false),
      requestProceed: () => (this.isWaiting = true),
    });
  }

  /** Commits one batch, which the store accepts or rejects as a whole. */
  commit(size: number, isRefused: boolean): void {
    const batch = this.#queue.splice(0, size);
    const kept = batch.filter(({ cancellation }) => !cancellation.isCancelled);
    if (!isRefused) this.committed.push(...kept.map(({ result }) => result));
    for (const { settle } of batch) settle(isRefused ? new MonError('unavailable', 'the disk is full') : undefined);
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.intake.proceed();
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'take' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      size: fc.integer({ min: 1, max: 5 }),
      isRefused: fc.boolean(),
    }),
  },
);

test('each result is stored once and in order, even if the store rejects writes or the queue is full', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
      const queue = new Queue(limit);
      let taken = 0;
      for (const { kind, ...batch } of steps) {
        // Results are taken even while the socket is paused, like frames that arrived before the pause.
        if (kind === 'take') queue.intake.addResult(++taken);
        else if ('size' in batch) queue.commit(batch.size, batch.isRefused);
      }
      for (let batch = 0; batch < 4 * taken + 4; batch++) queue.commit(5, false);
      expect(queue.committed).toEqual(Array.from({ length: taken }, (_, at) => at + 1));
      expect(queue.isPaused).toBe(false);
    }),
  );
});

test('a backend does not read from a sender while the queue is full', () => {
  const queue = new Queue(1);
  queue.intake.addResult('a');
  expect(queue.isPaused).toBe(false);
  queue.intake.addResult('b');
  expect(queue.isPaused).toBe(true);
  queue.commit(1, false);
  expect(queue.isPaused).toBe(false);
});
