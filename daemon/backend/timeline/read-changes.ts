import { eventKey } from '../../../shared/domain/event-key.ts';
import { silencedRow } from '../../../shared/domain/silencing.ts';
import type { PastChanges } from '../../../shared/schemas/timeline.ts';
import type { AskedNamespaces } from '../namespaces/asked.ts';
import type { ReadStore } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import { differenceOf, type Between, type PastDifference } from './past-changes.ts';
import type { PastBase } from './past.ts';
import { pastClientRow, pastEventRows, silencesById } from './past-rows.ts';

/** Maximum number of events in a difference; beyond it, reading the lists anew is as fast. */
const EVENTS_MAX = 10_000;

type Changes = Omit<PastChanges, 'from' | 'at' | 'previous' | 'next'>;

/** The differences that were collected so far. */
interface Told {
  readonly events: Changes['events'][number][];
  readonly removed: Changes['removed'][number][];
  readonly silenced: NonNullable<Changes['silenced']>[number][];
  readonly clients: Changes['clients'][number][];
  readonly removed_clients: Changes['removed_clients'][number][];
}

/** The response if there are too many differences. */
export const TOO_MANY_CHANGES: Changes = {
  too_many_changes: true,
  events: [],
  removed: [],
  clients: [],
  removed_clients: [],
};

/** Returns the differences between two moments, in some namespaces. */
export async function readChanges(
  store: ReadStore,
  base: PastBase,
  asked: AskedNamespaces,
  between: Between,
): Promise<Changes> {
  const differences = new Map<Namespace, PastDifference>();
  for (const namespace of asked.namespaces) {
    const difference = await differenceOf(store, base, namespace, between);
    if (difference === undefined) return TOO_MANY_CHANGES;
    differences.set(namespace, difference);
  }
  // Silences are included for all namespaces or for none.
  const hasSilences = [...differences.values()].some(({ isSilencedAnew }) => isSilencedAnew);
  const told: Told = { events: [], removed: [], silenced: [], clients: [], removed_clients: [] };
  for (const [namespace, difference] of differences) {
    const whole =
      hasSilences && !difference.isSilencedAnew
        ? await differenceOf(store, base, namespace, between, { isSilencedAnew: true })
        : difference;
    if (whole === undefined) return TOO_MANY_CHANGES;
    await tell(told, namespace, whole, { asked, atMs: between.atMs });
    if (told.events.length > EVENTS_MAX) return TOO_MANY_CHANGES;
  }
  const { silenced, ...rest } = told;
  return { too_many_changes: false, ...rest, ...(hasSilences && { silenced }) };
}

async function tell(
  told: Told,
  namespace: Namespace,
  { turned, silences, isSilencedAnew, clients }: PastDifference,
  { asked: { placed }, atMs }: { readonly asked: AskedNamespaces; readonly atMs: number },
): Promise<void> {
  const { name: place } = namespace;
  if (isSilencedAnew) told.silenced.push(...silences.map((entry) => placed(silencedRow(entry), place)));
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
      if (checks !== undefined) told.clients.push(placed(pastClientRow(namespace, client, atMs), place));
      gone.delete(client.name);
      if (checks === undefined && !isSilencedAnew) continue;
      for (const row of pastEventRows(client, namespace, index, atMs)) {
        if (checks?.has(row.check) === true || row.silenced_by.length > 0) told.events.push(placed(row, place));
        over.delete(eventKey(row.client, row.check));
      }
    }
  }
  told.removed.push(...Array.from(over.values(), (one) => placed(one, place)));
  told.removed_clients.push(...Array.from(gone, (name) => placed({ name }, place)));
}
