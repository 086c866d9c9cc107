import { eventKey } from '../../../shared/domain/event-key.ts';
import { silencedRow } from '../../../shared/domain/silencing.ts';
import type { PastChanges } from '../../../shared/schemas/timeline.ts';
import type { RequestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { ReadStore } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { differenceOf, type ComparedTimes, type PastDifference } from './past-changes.ts';
import type { PastBase } from './past.ts';
import { pastClientRow, pastEventRows, silencesById } from './past-rows.ts';

/** Maximum number of events in a comparison. If there are more, reading the full lists again is as fast. */
const EVENTS_MAX = 10_000;

type TransitionChanges = Omit<PastChanges, 'from' | 'at' | 'previous' | 'next'>;

/** The differences between two times that were collected so far, in the form of the response. */
interface CollectedChanges {
  readonly events: TransitionChanges['events'][number][];
  readonly removed: TransitionChanges['removed'][number][];
  readonly silenced: NonNullable<TransitionChanges['silenced']>[number][];
  readonly clients: TransitionChanges['clients'][number][];
  readonly removed_clients: TransitionChanges['removed_clients'][number][];
}

/** The response if there are too many differences, so that the caller must read the full lists. */
export const TOO_MANY_CHANGES: TransitionChanges = {
  too_many_changes: true,
  events: [],
  removed: [],
  clients: [],
  removed_clients: [],
};

/** Returns the differences between two times in the requested namespaces. */
export async function readChanges(
  store: ReadStore,
  base: PastBase,
  requested: RequestedNamespaces,
  between: ComparedTimes,
): Promise<TransitionChanges> {
  const differences = new Map<Namespace, PastDifference>();
  for (const namespace of requested.namespaces) {
    const difference = await differenceOf(store, base, namespace, between);
    if (difference === undefined) return TOO_MANY_CHANGES;
    differences.set(namespace, difference);
  }
  // The response contains the silences of all requested namespaces or of none.
  const hasSilences = [...differences.values()].some(({ haveSilencesChanged: isSilencedAnew }) => isSilencedAnew);
  const changes: CollectedChanges = { events: [], removed: [], silenced: [], clients: [], removed_clients: [] };
  for (const [namespace, difference] of differences) {
    const full =
      hasSilences && !difference.haveSilencesChanged
        ? await differenceOf(store, base, namespace, between, { isSilencedAnew: true })
        : difference;
    if (full === undefined) return TOO_MANY_CHANGES;
    await addDifference(changes, namespace, full, { requested, atMs: between.atMs });
    if (changes.events.length > EVENTS_MAX) return TOO_MANY_CHANGES;
  }
  const { silenced, ...lists } = changes;
  return { too_many_changes: false, ...lists, ...(hasSilences && { silenced }) };
}

async function addDifference(
  changes: CollectedChanges,
  namespace: Namespace,
  { checksWithTransitions: turned, silences, haveSilencesChanged: isSilencedAnew, clients }: PastDifference,
  {
    requested: { withNamespaceName: placed },
    atMs,
  }: { readonly requested: RequestedNamespaces; readonly atMs: number },
): Promise<void> {
  const { name: namespaceName } = namespace;
  if (isSilencedAnew) changes.silenced.push(...silences.map((entry) => placed(silencedRow(entry), namespaceName)));
  const index = silencesById(silences);
  const gone = new Set(turned.keys());
  const over = new Map(
    [...turned].flatMap(([client, checks]) =>
      Array.from(checks, (check) => [eventKey(client, check), { client, check }]),
    ),
  );
  for await (const part of clients) {
    for (const client of part) {
      const checks = turned.get(client.name);
      if (checks !== undefined) changes.clients.push(placed(pastClientRow(namespace, client, atMs), namespaceName));
      gone.delete(client.name);
      if (checks === undefined && !isSilencedAnew) continue;
      for (const row of pastEventRows(client, namespace, index, atMs)) {
        if (checks?.has(row.check) === true || row.silenced_by.length > 0)
          changes.events.push(placed(row, namespaceName));
        over.delete(eventKey(row.client, row.check));
      }
    }
  }
  changes.removed.push(...Array.from(over.values(), (one) => placed(one, namespaceName)));
  changes.removed_clients.push(...Array.from(gone, (name) => placed({ name }, namespaceName)));
}
