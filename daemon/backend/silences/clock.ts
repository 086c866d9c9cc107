import { isExpired } from '../../../shared/domain/expiry.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Log } from '../../log/log.ts';
import { idOfChange } from './state.ts';
import type { SilencedEntries } from './write.ts';
import type { CommitBoard } from '../commit/commit-board.ts';
import type { PlanningClock, Store } from '../ports.ts';
import { isLearned, learnSelectors } from './learn.ts';
import type { Registry } from '../registry/registry.ts';
import type { Deadline } from '../schedule/deadlines.ts';
import { runDeadlines } from '../schedule/run-deadlines.ts';

interface ExpiryParts {
  readonly registry: Registry;
  readonly commits: Pick<CommitBoard, 'onCommit' | 'onRest'>;
  readonly silenced: Pick<SilencedEntries, 'tick'>;
  readonly clock: PlanningClock;
  readonly log: Log;
}

const FAILURE = 'begin or end of a silence could not be written';

/**
 * Removes entries at their end, has those that recur wait for their next window, and announces those that begin. Matching
 * does not wait for it: it looks at the times itself.
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
 * Deadlines move with a corrected clock; windows that recur stay on the clock on the wall. Whoever corrects it writes them as over
 * (`shifted` of the table), and has everything read again.
 */
function findWindowsAgain({ registry, commits, silenced, clock, log }: ExpiryParts): Disposable {
  let { generation } = registry;
  return commits.onRest(() => {
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
          // It may have begun while no backend was there to tell, and a consumer that resumes has to hear of it.
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
      // Also of one that ended before it was written, or was made for no time. What began meanwhile is told by the commit itself:
      // rows are made later.
      if (entry !== undefined) yield* deadlinesOf(namespace, entry, clock.now());
    },

    run(id) {
      const [namespaceName, entryId] = JSON.parse(id) as [string, string];
      // It may have been cleared or made anew since; what is announced too often does no harm.
      if (registry.namespace(namespaceName).silenced.get(entryId) === undefined) return undefined;
      return silenced.tick(namespaceName, entryId);
    },
  });
}

interface LearningParts extends Omit<ExpiryParts, 'clock'> {
  readonly store: Pick<Store, 'getMany'>;
}

/** Reads what selectors ask for that came without that, with a dump say, and announces them again when it is known. */
export function learnInBackground({ registry, commits, silenced, store, log }: LearningParts): Disposable {
  const learn = async (name: string): Promise<void> => {
    try {
      await learnSelectors(registry, store, name, []);
      for (const entry of registry.namespace(name).silenced.all()) {
        if (entry.selector !== undefined) await silenced.tick(name, entry.id);
      }
    } catch (error) {
      log.warn({ namespace: name, reason: errorMessage(error) }, 'attributes for selectors could not be read');
    }
  };
  return commits.onCommit(({ changes }) => {
    for (const change of changes) {
      if (change[0] !== 'silenced' || change[4] === undefined) continue;
      if (!isLearned(registry, change[1])) void learn(change[1]);
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
