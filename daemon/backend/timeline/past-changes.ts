import { toCurrentWindow, isExpiredForGood } from '../../../shared/domain/silencing.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import type { ReadStore } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { checkpointClients, readCheckpointSilences, type CompleteCheckpoint } from './checkpoint.ts';
import {
  nextClient,
  nextSilences,
  readPastNamespace,
  type PastBase,
  type PastClientState,
  type IdentifiedTransition,
} from './past.ts';
import { newestOf } from './sources.ts';
import { pastCheckNames } from './queries.ts';
import {
  idFromReversed,
  indexOfCheck,
  lastIdOf,
  reverseId,
  SILENCE_INDEX_PREFIX,
  timelineOf,
} from '../model/timeline/storage.ts';

/**
 * Maximum number of transitions between the two times of a comparison. If there are more, reading the full lists again
 * is as fast.
 */
const TRANSITIONS_MAX = 2000;

/** Maximum number of clients that are rebuilt individually. If there are more, the whole namespace is rebuilt. */
const CLIENTS_MAX = 20;

/** Maximum number of silence transitions that are read to compare the silences of two times. */
const SILENCE_TRANSITIONS_MAX = 20_000;

/** The two times that are compared, in epoch milliseconds. Either can be the earlier one. */
export interface ComparedTimes {
  readonly fromMs: number;
  readonly atMs: number;
}

/**
 * The silences, clients and events of a namespace that possibly differ between two times, with their state at the
 * second time.
 */
export interface PastDifference {
  /** Checks with transitions between the two times, by client. All other checks can differ only by their silences. */
  readonly checksWithTransitions: ReadonlyMap<string, ReadonlySet<string>>;
  /** Silences that exist and have not expired at the second time, including pending ones. */
  readonly silences: readonly SilencedEntry[];
  /**
   * True if silences were changed, began or ended between the two times. Any event can then be silenced at only one of
   * them.
   */
  readonly haveSilencesChanged: boolean;
  /**
   * Clients with transitions and a state. If `haveSilencesChanged` is true or many clients have transitions, these are
   * all clients of the namespace.
   */
  readonly clients: AsyncIterable<readonly PastClientState[]>;
}

/**
 * Returns the differences of a namespace between two times, if possible without processing unchanged clients.
 *
 * @param options `isSilencedAnew`: true if silences of another namespace differ, so that all clients of this namespace
 *   must be included
 * @returns the differences; undefined if there are too many
 */
export async function differenceOf(
  store: ReadStore,
  base: PastBase,
  namespace: Namespace,
  between: ComparedTimes,
  options = { isSilencedAnew: false },
): Promise<PastDifference | undefined> {
  const { name } = namespace;
  const { atMs } = between;
  const transitions = await readTransitionsBetween(store, name, between);
  if (transitions === undefined) return undefined;
  const transitionsByClient = new Map<string, Set<string>>();
  for (const { client, check = '' } of transitions) {
    if (client !== undefined)
      transitionsByClient.set(client, (transitionsByClient.get(client) ?? new Set()).add(check));
  }
  const entries = await silencesOf(store, base.checkpoint, name, atMs);
  const isSilencedAnew =
    options.isSilencedAnew ||
    transitions.some(({ client }) => client === undefined) ||
    entries === undefined ||
    entries.some((entry) => startsOrEndsBetween(entry, between));
  if (isSilencedAnew || transitionsByClient.size > CLIENTS_MAX) {
    return {
      checksWithTransitions: transitionsByClient,
      haveSilencesChanged: isSilencedAnew,
      ...(await readPastNamespace(store, base, name, atMs)),
    };
  }
  const silences = entries.flatMap((entry) => (isExpiredForGood(entry, atMs) ? [] : toCurrentWindow(entry, atMs)));
  return {
    checksWithTransitions: transitionsByClient,
    haveSilencesChanged: isSilencedAnew,
    silences,
    clients: clientsOf(store, base, name, { turned: transitionsByClient, atMs }),
  };
}

/** True if the silence began or ended between the two times, even if no transition was recorded for it. */
function startsOrEndsBetween(entry: SilencedEntry, { fromMs, atMs }: ComparedTimes): boolean {
  const [low, high] = [Math.min(fromMs, atMs), Math.max(fromMs, atMs)];
  // `toCurrentWindow` computes the window of a recurring silence, because no windows were recorded if no backend ran.
  const { begin, expireAtMs } = toCurrentWindow(entry, low);
  return [(begin ?? 0) * 1000, expireAtMs ?? 0].some((ms) => ms > low && ms <= high);
}

/**
 * Returns the transitions of a namespace between two times, newest first.
 *
 * @returns undefined if there are more than `TRANSITIONS_MAX`
 */
async function readTransitionsBetween(
  store: ReadStore,
  namespace: string,
  { fromMs, atMs }: ComparedTimes,
): Promise<Transition[] | undefined> {
  const [low, high] = [Math.min(fromMs, atMs), Math.max(fromMs, atMs)];
  const transitions: Transition[] = [];
  const range = { after: [...timelineOf(namespace), reverseId(lastIdOf(high) + 1)], limit: TRANSITIONS_MAX + 1 };
  for await (const [key, text] of store.scan(timelineOf(namespace), range)) {
    if (idFromReversed(Number(key.at(-1))) <= lastIdOf(low)) return transitions;
    transitions.push(JSON.parse(text) as Transition);
  }
  return transitions.length > TRANSITIONS_MAX ? undefined : transitions;
}

/**
 * Returns all silences at a time, including expired silences.
 *
 * @returns undefined if there are too many silence transitions to read
 */
async function silencesOf(
  store: ReadStore,
  checkpoint: CompleteCheckpoint,
  namespace: string,
  atMs: number,
): Promise<readonly SilencedEntry[] | undefined> {
  const ids: number[] = [];
  let looked = 0;
  for await (const [key] of store.scan([SILENCE_INDEX_PREFIX, namespace], { limit: SILENCE_TRANSITIONS_MAX })) {
    looked++;
    const id = idFromReversed(Number(key.at(-1)));
    if (id >= checkpoint.from && id <= lastIdOf(atMs)) ids.push(id);
  }
  if (looked >= SILENCE_TRANSITIONS_MAX) return undefined;
  const transitions = await readExistingTransitions(
    store,
    namespace,
    ids.toSorted((a, b) => b - a),
  );
  return [...nextSilences(await readCheckpointSilences(store, checkpoint, namespace), transitions).values()];
}

/** Returns those transitions with the given ids that still exist, in the same order. @param ids newest first */
async function readExistingTransitions(
  store: ReadStore,
  namespace: string,
  ids: readonly number[],
): Promise<IdentifiedTransition[]> {
  const texts = await store.getMany(ids.map((id) => [...timelineOf(namespace), reverseId(id)]));
  return ids.flatMap((id, at) => {
    const text = texts[at];
    return text === undefined ? [] : [{ id, transition: JSON.parse(text) as Transition }];
  });
}

/**
 * Yields the clients with transitions between the two times, one at a time. Each client is rebuilt from the checkpoint
 * and its transitions since the checkpoint.
 */
async function* clientsOf(
  store: ReadStore,
  { checkpoint }: PastBase,
  namespace: string,
  { turned, atMs }: { readonly turned: ReadonlyMap<string, unknown>; readonly atMs: number },
): AsyncGenerator<readonly PastClientState[], void> {
  const clientsByName = await checkpointClients(store, checkpoint, namespace, new Set(turned.keys()));
  for (const name of turned.keys()) {
    const sources = (await pastCheckNames(store, namespace, name)).map((check) => ({
      namespace,
      prefix: indexOfCheck(namespace, name, check),
    }));
    const ids: number[] = [];
    for await (const page of newestOf(store, sources, lastIdOf(atMs) + 1)) {
      const before = page.findIndex(({ id }) => id < checkpoint.from);
      ids.push(...page.slice(0, before === -1 ? page.length : before).map(({ id }) => id));
      if (before !== -1) break;
    }
    const { id = -Infinity, client = { name, checkCount: 0, events: new Map() } } = clientsByName.get(name) ?? {};
    yield nextClient(client, id, await readExistingTransitions(store, namespace, ids));
  }
}
