import { errorMessage } from '../../../shared/errors.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import { mayHoldTokens } from '../../../shared/domain/tokens.ts';
import { isMissingKeepaliveDue } from '../../../shared/domain/v2/keepalive.ts';
import type { KeepaliveSettings } from '../../../shared/schemas/settings.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { Clients } from './commands.ts';
import type { Results } from '../results/commands.ts';
import type { Clock, Store } from '../ports.ts';
import { keepaliveResult, keepaliveStateOf } from './keepalive-result.ts';
import { readClients } from '../model/clients/queries.ts';
import type { ClientEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { plansOf } from '../model/plans/state.ts';

/** Interval at which the ages of last keepalives are checked, except for v2 agents (completion 1.10). */
const SWEEP_MS = 30_000;
/** Maximum number of keepalive results that are queued together, so that a large fleet does not fill the queue. */
const SLICE_CLIENTS = 500;

interface KeepaliveDependencies {
  readonly registry: Registry;
  readonly results: Pick<Results, 'record'>;
  readonly clients: Pick<Clients, 'deregister'>;
  readonly definitions: Definitions;
  readonly store: Pick<Store, 'getMany'>;
  /** Pauses the checks while a full disk rejects keepalives, and for a while afterwards; default: no pause. */
  readonly disk?: Pick<DiskGuard, 'isAwaitingBacklog'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Interval at which the ages of last keepalives of v2 agents are checked: their thresholds are exact to the second. */
const PUNCTUAL_MS = 1000;

/** Returns true if a keepalive result of a client must be recorded now. */
type IsDue = (entry: ClientEntry, nowMs: number) => boolean;

/** Records keepalive results from the age of the last keepalives; they open and resolve events like any result. */
export function watchKeepalives(parts: KeepaliveDependencies): Disposable {
  const watches = new DisposableStack();
  watches.use(everySweep(parts, SWEEP_MS, ({ profile }) => !profile.hasOwnThresholds));
  watches.use(
    everySweep(
      parts,
      PUNCTUAL_MS,
      (entry, nowMs) =>
        entry.profile.hasOwnThresholds && isMissingKeepaliveDue(entry, lastOf(entry), Math.floor(nowMs / 1000)),
    ),
  );
  return watches;
}

function lastOf({ checks }: ClientEntry): { readonly executed: number; readonly status: number } | undefined {
  const { executed, status } = checks.get(KEEPALIVE_CHECK) ?? {};
  return executed === undefined || status === undefined ? undefined : { executed, status };
}

function everySweep(parts: KeepaliveDependencies, periodMs: number, isDue: IsDue): Disposable {
  let isSweeping = false;
  return parts.clock.every(periodMs, () => {
    if (
      isSweeping ||
      parts.disk?.isAwaitingBacklog === true ||
      plansOf(parts.registry).isAwaitingBacklog(parts.clock.now())
    )
      return;
    isSweeping = true;
    sweepKeepalives(parts, isDue)
      // The sweep is not retried here, because the next one checks all clients again.
      .catch((error: unknown) =>
        parts.log.warn({ reason: errorMessage(error) }, 'could not check for overdue keepalives, retrying soon'),
      )
      .finally(() => {
        isSweeping = false;
      });
  });
}

async function sweepKeepalives(
  { registry, results, clients, definitions, store, clock }: KeepaliveDependencies,
  isDue: IsDue,
): Promise<void> {
  for (const namespace of registry.namespaces()) {
    const names = namespace
      .sortedClients()
      .filter((entry) => entry.profile.sendsKeepalives && isDue(entry, clock.now()))
      .map(({ name }) => name);
    for (let start = 0; start < names.length; start += SLICE_CLIENTS) {
      const now = Math.floor(clock.now() / 1000);
      const slice = names.slice(start, start + SLICE_CLIENTS);
      const departed = existingEntries(namespace, slice).filter((entry) =>
        hasDeparted(entry, definitions.keepalives, now),
      );
      await Promise.all(departed.map(({ name }) => clients.deregister(namespace.name, name)));
      // Clients are looked up again, because some may have been deleted during the writes.
      const reported = existingEntries(namespace, slice);
      const mayHold = mayHoldTokens(definitions.keepalives);
      const tokened = reported.filter(({ profile }) => mayHold || profile.hasKeepaliveTokens);
      const records = new Map(await readClients(store, tokened));
      const incoming = reported.map((entry) => keepaliveResult(entry, records.get(entry), definitions, now));
      if (incoming.length > 0) await results.record(namespace.name, incoming);
    }
  }
}

function existingEntries(namespace: Namespace, names: readonly string[]): ClientEntry[] {
  return names.flatMap((name) => namespace.clients.get(name) ?? []);
}

/** True if the keepalive of a client is overdue, and its profile says that such a client has left permanently. */
function hasDeparted(entry: ClientEntry, settings: KeepaliveSettings, now: number): boolean {
  return entry.profile.leavesBySilence && keepaliveStateOf(entry, now, settings).status !== 0;
}
