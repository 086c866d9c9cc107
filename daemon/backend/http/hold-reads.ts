import type { FastifyInstance } from 'fastify';
import { BusyError } from '../../../shared/errors.ts';
import { matchedRoute } from './request.ts';

/** Maximum time that a read waits for a large change. */
const WAIT_MS_MAX = 10_000;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Waits while the registry holds a partly applied batch, so that readers see only committed changes. Undefined:
     * there is none.
     *
     * @returns false if the batch failed: values that were read before may show a part of it
     * @throws MonError `unavailable` if that takes too long
     */
    readonly committedState: () => Promise<boolean> | undefined;
  }
}

/**
 * Delays reads until a large change is committed or rolled back. Reads about the backend itself, and those of other
 * backends, do not wait.
 */
export function holdReads(
  app: FastifyInstance,
  partialBatch: () => Promise<boolean> | undefined = () => undefined,
): void {
  app.decorate('committedState', () => {
    const batch = partialBatch();
    return batch === undefined ? undefined : settled(batch, partialBatch);
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

/** Maximum number of times that a chunk is read: even under a flood of large changes a list completes. */
const READINGS_MAX = 3;

/**
 * Reads a chunk of a long list while the registry holds no part of a large change.
 *
 * @throws MonError `unavailable` if a large change failed meanwhile, because the list's entries are outdated
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

/** @throws MonError `unavailable` if the large change failed for which a reader waited */
export async function expectCommit(committed: Promise<boolean> | undefined): Promise<void> {
  if (committed === undefined || (await committed)) return;
  throw new BusyError('cannot read the list, because a bulk change failed partway: try again');
}

async function settled(batch: Promise<boolean>, partialBatch: () => Promise<boolean> | undefined): Promise<boolean> {
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
