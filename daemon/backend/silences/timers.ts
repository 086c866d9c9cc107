import { isExpired } from '../../../shared/domain/expiry.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import { idOfChange } from '../model/silences/state.ts';
import type { SilencedEntries } from './commands.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';
import type { PlanningClock, Store } from '../ports.ts';
import { areAttributesLoaded, learnSelectors } from '../model/silences/selector-attributes.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines } from '../schedule/run-deadlines.ts';

interface ExpiryParts {
  readonly registry: Registry;
  readonly commits: Pick<CommitBoard, 'onCommit' | 'onIdle'>;
  readonly silenced: Pick<SilencedEntries, 'tick'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

const FAILURE = 'begin or end of a silence could not be written';

/**
 * Removes entries at their end, moves recurring ones to their next window, and announces those that begin. Matching
 * does not wait for it, because it checks the times itself.
 */
export function expireSilenced(parts: ExpiryParts): Disposable {
  const due = runEnds(parts);
  const corrected = findWindowsAgain(parts);
  return {
    [Symbol.dispose]: () => {
      corrected[Symbol.dispose]();
      due[Symbol.dispose]();
    },
  };
}

/**
 * Finds the windows of recurring silences again after a clock correction. Other ends move with a corrected clock;
 * windows stay on the wall clock. The correction stores them as ended (`shifted` of the table), and everything is read
 * again.
 */
function findWindowsAgain({ registry, commits, silenced, clock, log }: ExpiryParts): Disposable {
  let { generation } = registry;
  return commits.onIdle(() => {
    if (generation === registry.generation) return;
    ({ generation } = registry);
    for (const namespace of registry.namespaces()) {
      for (const entry of namespace.silenced.all()) {
        if (entry.recurrence === undefined || !isExpired(entry, clock.now())) continue;
        silenced.tick(namespace.name, entry.id).catch((error: unknown) => {
          log.warn({ id: entry.id, reason: errorMessage(error) }, FAILURE);
        });
      }
    }
  });
}

function runEnds(parts: ExpiryParts): Disposable {
  const { registry, silenced, clock } = parts;
  return runDeadlines(parts, {
    failure: FAILURE,

    *atStart() {
      for (const namespace of registry.namespaces()) {
        for (const entry of namespace.silenced.all()) {
          yield* deadlinesOf(namespace.name, entry, clock.now());
          // It may have begun while no backend ran, and a consumer that resumes must be notified.
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
      // Also for an entry that ended before it was written, or has no duration. A begin meanwhile is announced by the
      // commit itself, because rows are built later.
      if (entry !== undefined) yield* deadlinesOf(namespace, entry, clock.now());
    },

    run(id) {
      const [namespaceName, entryId] = JSON.parse(id) as [string, string];
      // It may have been cleared or replaced since; a duplicate announcement does no harm.
      if (registry.namespace(namespaceName).silenced.get(entryId) === undefined) return undefined;
      return silenced.tick(namespaceName, entryId);
    },
  });
}

interface LearningParts extends Omit<ExpiryParts, 'clock'> {
  readonly store: Pick<Store, 'getMany'>;
}

/**
 * Reads missing attributes of selectors that came without them, for example with a dump, and announces the entries
 * again when they are known.
 */
export function learnInBackground({ registry, commits, silenced, store, log }: LearningParts): Disposable {
  const learn = async (name: string): Promise<void> => {
    try {
      await learnSelectors(registry, store, name, []);
      for (const entry of registry.namespace(name).silenced.all()) {
        if (entry.selector !== undefined) await silenced.tick(name, entry.id);
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
