import { errorMessage } from '../../../shared/errors.ts';
import { isExpired } from '../../../shared/domain/expiry.ts';
import { silencedId } from '../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import type { SilencedEntries } from '../pipeline/silenced.ts';
import type { Clock, Store } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import { Deadlines } from './deadlines.ts';

interface ExpiryParts {
  readonly registry: Registry;
  readonly store: Store;
  readonly shard: string;
  readonly silenced: Pick<SilencedEntries, 'tick'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longest sleep, so that a machine that was suspended or set forward is noticed. */
const SLEEP_MS_MAX = 60_000;
/** How long an expiry waits that could not be written. */
const RETRY_MS = 1000;

/**
 * Removes entries at their end and announces those that begin. Matching does not wait for it: it looks at the times
 * itself. Timers come from the absolute times in the registry, so a restart loses none.
 */
export async function expireSilenced(parts: ExpiryParts): Promise<Disposable> {
  const { registry, store, shard, clock } = parts;
  const deadlines = new Deadlines();
  let timer: Disposable | undefined;
  let isClosed = false;

  const schedule = (namespace: string, entry: SilencedEntry): void => {
    const id = idOf(namespace, entry);
    const beginMs = entry.begin === null ? 0 : entry.begin * 1000;
    if (beginMs > clock.now()) deadlines.add({ atMs: beginMs, id });
    if (entry.expire_at !== null) deadlines.add({ atMs: entry.expire_at, id });
  };
  const sleep = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const { next } = deadlines;
    if (isClosed || next === undefined) return;
    const waitMs = Math.min(Math.max(0, next.atMs - clock.now()), SLEEP_MS_MAX);
    timer = clock.after(waitMs, wake);
  };
  const wake = (): void => {
    for (const { id } of deadlines.due(clock.now())) {
      const [namespaceName, entryId] = JSON.parse(id) as [string, string];
      // It may have been cleared or made anew since; what is announced too often does no harm.
      if (registry.namespace(namespaceName).silenced.get(entryId) === undefined) continue;
      parts.silenced.tick(namespaceName, entryId).catch((error: unknown) => {
        parts.log.warn(
          { id: entryId, reason: errorMessage(error) },
          'a silenced entry that ended or began was not written',
        );
        deadlines.add({ atMs: clock.now() + RETRY_MS, id });
        sleep();
      });
    }
    sleep();
  };

  for (const namespace of registry.namespaces()) {
    for (const entry of namespace.silenced.all()) {
      schedule(namespace.name, entry);
      // It may have begun while no backend was there to tell, and a consumer that resumes has to hear of it.
      if (entry.begin !== null && entry.begin > entry.timestamp) {
        deadlines.add({ atMs: entry.begin * 1000, id: idOf(namespace.name, entry) });
      }
    }
  }
  const watch = await store.watch(shard, store.lastSeq(shard), ({ changes }) => {
    let isNew = false;
    for (const change of changes) {
      if (change[0] !== 'silenced') continue;
      const [, namespace, subscription, check] = change;
      const entry = registry.namespace(namespace).silenced.get(silencedId(subscription, check));
      if (entry === undefined || isExpired(entry, clock.now())) continue;
      schedule(namespace, entry);
      isNew = true;
    }
    if (isNew) sleep();
  });
  sleep();
  return {
    [Symbol.dispose]: () => {
      isClosed = true;
      watch.close();
      timer?.[Symbol.dispose]();
    },
  };
}

function idOf(namespace: string, entry: SilencedEntry): string {
  return JSON.stringify([namespace, entry.id]);
}
