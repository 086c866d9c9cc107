import { isExpired } from '../../../shared/domain/expiry.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import { idOfChange } from '../model/silences/state.ts';
import type { SilencedEntries } from './commands.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { PlanningClock, Store } from '../ports.ts';
import { areAttributesLoaded, loadSelectorAttributes } from '../model/silences/selector-attributes.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines } from '../schedule/run-deadlines.ts';

interface ExpiryDependencies {
  readonly registry: Registry;
  readonly commits: Pick<CommitBoard, 'onCommit' | 'onIdle'>;
  readonly silenced: Pick<SilencedEntries, 'updateAtDeadline'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

const WRITE_FAILURE = 'begin or end of a silence could not be written';

/**
 * Removes silences at their end, moves recurring silences to their next window, and announces silences that begin.
 * Whether an event is silenced does not depend on these timers, because every look-up compares the times itself.
 */
export function expireSilenced(parts: ExpiryDependencies): Disposable {
  const due = runEnds(parts);
  const corrected = recomputeWindows(parts);
  return {
    [Symbol.dispose]: () => {
      corrected[Symbol.dispose]();
      due[Symbol.dispose]();
    },
  };
}

/**
 * Computes the windows of recurring silences again after a correction of the system clock. The correction shifts the
 * ends of other silences, but windows are wall-clock times. The correction therefore stores recurring silences as
 * expired (see `shifted` of the table) and reloads the registry. That reload starts this computation.
 */
function recomputeWindows({ registry, commits, silenced, clock, log }: ExpiryDependencies): Disposable {
  let { generation } = registry;
  return commits.onIdle(() => {
    if (generation === registry.generation) return;
    ({ generation } = registry);
    for (const namespace of registry.namespaces()) {
      for (const entry of namespace.silenced.all()) {
        if (entry.recurrence === undefined || !isExpired(entry, clock.now())) continue;
        silenced.updateAtDeadline(namespace.name, entry.id).catch((error: unknown) => {
          log.warn({ id: entry.id, reason: errorMessage(error) }, WRITE_FAILURE);
        });
      }
    }
  });
}

function runEnds(parts: ExpiryDependencies): Disposable {
  const { registry, silenced, clock } = parts;
  return runDeadlines(parts, {
    failure: WRITE_FAILURE,

    *atStart() {
      for (const namespace of registry.namespaces()) {
        for (const entry of namespace.silenced.all()) {
          yield* deadlinesOf(namespace.name, entry, clock.now());
          // The silence can have begun while no backend ran, and clients of the feed that reconnect must receive this
          // change.
          if (entry.begin !== null && entry.begin > entry.timestamp) {
            yield { atMs: entry.begin * 1000, id: idOf(namespace.name, entry) };
          }
        }
      }
    },

    *after(change) {
      if (change[0] !== 'silenced') return;
      const [, namespace] = change;
      const entry = registry.namespace(namespace).silenced.get(idOfChange(change));
      // The end can be in the past: a silence can have ended before it was committed, or last 0 seconds. A begin before
      // the commit needs no deadline: the commit announces the silence, and the rows of the feed are built afterwards.
      if (entry !== undefined) yield* deadlinesOf(namespace, entry, clock.now());
    },

    run(id) {
      const [namespaceName, entryId] = JSON.parse(id) as [string, string];
      // The silence can have been cleared or replaced since. If it was replaced, an extra announcement does no harm.
      if (registry.namespace(namespaceName).silenced.get(entryId) === undefined) return undefined;
      return silenced.updateAtDeadline(namespaceName, entryId);
    },
  });
}

interface AttributeLoadDependencies extends Omit<ExpiryDependencies, 'clock'> {
  readonly store: Pick<Store, 'getMany'>;
}

/**
 * Loads the attributes that selectors refer to, if a silence with a selector was committed before they were in memory,
 * for example by a restore. Then publishes the silences with a selector on the feed again.
 */
export function loadAttributesInBackground({
  registry,
  commits,
  silenced,
  store,
  log,
}: AttributeLoadDependencies): Disposable {
  const learn = async (name: string): Promise<void> => {
    try {
      await loadSelectorAttributes(registry, store, name, []);
      for (const entry of registry.namespace(name).silenced.all()) {
        if (entry.selector !== undefined) await silenced.updateAtDeadline(name, entry.id);
      }
    } catch (error) {
      log.warn(
        { namespace: name, reason: errorMessage(error) },
        'could not read the client attributes that the selectors of silences compare',
      );
    }
  };
  return commits.onCommit(({ changes }) => {
    for (const change of changes) {
      if (change[0] !== 'silenced' || change[4] === undefined) continue;
      if (!areAttributesLoaded(registry, change[1])) void learn(change[1]);
    }
  });
}

function* deadlinesOf(namespace: string, entry: SilencedEntry, nowMs: number): Generator<Deadline, void, undefined> {
  const id = idOf(namespace, entry);
  const beginMs = entry.begin === null ? 0 : entry.begin * 1000;
  if (beginMs > nowMs) yield { atMs: beginMs, id };
  if (entry.expireAtMs !== null) yield { atMs: entry.expireAtMs, id };
}

function idOf(namespace: string, entry: SilencedEntry): string {
  return JSON.stringify([namespace, entry.id]);
}
