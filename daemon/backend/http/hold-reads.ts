import type { FastifyInstance } from 'fastify';
import { BusyError } from '../../../shared/errors.ts';
import { matchedRoute } from './request.ts';

/** Maximum time, in milliseconds, for which a read waits until a large change is committed. */
const WAIT_MS_MAX = 10_000;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Waits while only a part of a batch of writes is in the registry, so that readers see only committed changes.
     * Returns undefined if no batch is in this state, so there is nothing to wait for.
     *
     * @returns true if the batch was committed; false if it failed, so that values that were read before can contain a
     *   part of it
     * @throws MonError `unavailable` if the wait takes too long
     */
    readonly committedState: () => Promise<boolean> | undefined;
  }
}

/**
 * Adds a hook that delays reads until a large change is committed or rolled back. Requests for the state of the backend
 * itself, and requests of other backends, are not delayed.
 */
export function holdReads(
  app: FastifyInstance,
  partialBatch: () => Promise<boolean> | undefined = () => undefined,
): void {
  app.decorate('committedState', () => {
    const batch = partialBatch();
    return batch === undefined ? undefined : waitForBatch(batch, partialBatch);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { access, isOfItself = false, isOfPeers = false } = matchedRoute(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD' || access === 'read';
    const committed = isRead && !isOfItself && !isOfPeers ? app.committedState() : undefined;
    const proceed = (): void => done();
    if (committed === undefined) proceed();
    else committed.then(proceed, done);
  });
}

/**
 * Maximum number of times that a chunk of a list is read. The last reading is sent even if another large change is in
 * progress, so that a list completes under a flood of changes.
 */
const READINGS_MAX = 3;

/**
 * Reads a chunk of a long list while no large change is partly applied.
 *
 * @throws MonError `unavailable` if a large change failed in the meantime, because the entries of the list can be
 *   outdated
 */
export async function readCommitted<Result>(
  read: () => Promise<Result>,
  committedState: FastifyInstance['committedState'],
): Promise<Result> {
  await expectCommit(committedState());
  for (let readings = 1; ; readings++) {
    const result = await read();
    const committed = committedState();
    if (committed === undefined || readings === READINGS_MAX) return result;
    await expectCommit(committed);
  }
}

/**
 * Waits until a large change is committed; returns at once if there is none.
 *
 * @throws MonError `unavailable` if the large change failed
 */
export async function expectCommit(committed: Promise<boolean> | undefined): Promise<void> {
  if (committed === undefined || (await committed)) return;
  throw new BusyError('cannot read the list, because a bulk change failed partway: try again');
}

async function waitForBatch(
  batch: Promise<boolean>,
  partialBatch: () => Promise<boolean> | undefined,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new BusyError('a bulk change is being stored: try again in a few seconds')),
      WAIT_MS_MAX,
    );
  });
  try {
    let isCommitted = true;
    for (let next: Promise<boolean> | undefined = batch; next !== undefined; next = partialBatch()) {
      isCommitted = (await Promise.race([next, tooLong])) && isCommitted;
    }
    return isCommitted;
  } finally {
    clearTimeout(timer);
  }
}
