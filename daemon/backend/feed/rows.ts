import { isExpired } from '../../../shared/domain/expiry.ts';
import { checkRedactKeysOf, hasOwnRedactKeys, redact } from '../../../shared/domain/redact.ts';
import { silencedBy, silencedId } from '../../../shared/domain/silencing.ts';
import { currentStep } from '../../../shared/domain/plan/run.ts';
import {
  eventKey,
  type ClientRow,
  type EventRow,
  type SilencedRow,
  type UpgradeRow,
} from '../../../shared/schemas/feed.ts';
import type { PlanRun } from '../../../shared/schemas/plan-run.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Change } from '../ports.ts';
import type { ChangedRow } from './row-selection.ts';
import type { CheckEntry, ClientEntry } from '../registry/entries.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { PlanRegistry } from '../plans/state.ts';

export function eventRow(entry: CheckEntry, nowMs: number): EventRow | null {
  const { event } = entry.state;
  if (event === undefined) return null;
  const { namespace, name, subscriptions } = entry.client;
  return {
    client: name,
    check: entry.name,
    status: event.status,
    action: event.action,
    occurrences: event.occurrences,
    since: event.lastStateChange ?? event.timestamp,
    last: event.timestamp,
    silenced_by: silencedBy(namespace.silenced, subscriptions, entry.name, nowMs),
    output: shownOutput(entry),
  };
}

export function silencedRow(entry: SilencedEntry): SilencedRow {
  const { expire_at: expireAtMs, ...rest } = entry;
  return { ...rest, expire_at: expireAtMs === null ? null : Math.ceil(expireAtMs / 1000) };
}

export function clientRow({ name, address, subscriptions, timestamp, version }: ClientEntry): ClientRow {
  return { name, address, subscriptions, timestamp, version };
}

export function upgradeRow(runbook: PlanRun): UpgradeRow {
  const { id, revision, from, to, state, verdict, holder, steps } = runbook;
  const step = currentStep(runbook);
  return {
    id,
    revision,
    from,
    to,
    state,
    verdict,
    holder: holder?.who ?? null,
    step:
      step === undefined
        ? null
        : { number: steps.indexOf(step) + 1, of: steps.length, title: step.title, state: step.state },
  };
}

/** Only a client that names keys of its own may hide its outputs. */
function shownOutput({ client, summary: output }: CheckEntry): string {
  return hasOwnRedactKeys(client) ? redact({ output }, checkRedactKeysOf(client)).output : output;
}

/**
 * The newest rows of what changed in a namespace, each once, however often it changed. Events that a silenced entry
 * names change their silenced state with it.
 */
export function* changedRows(
  { namespace, runbooks }: { readonly namespace: Namespace; readonly runbooks: PlanRegistry },
  changes: Iterable<Change>,
  nowMs: number,
): Generator<ChangedRow, void, undefined> {
  const events = new Map<string, CheckEntry | undefined>();
  const silenced = new Set<string>();
  const clients = new Set<string>();
  const upgrades = new Set<number>();
  for (const change of changes) {
    if (change[1] !== namespace.name) continue;
    if (change[0] === 'event') {
      const [, , client, check] = change;
      const key = eventKey(client, check);
      if (!events.has(key)) events.set(key, namespace.check(client, check));
    } else if (change[0] === 'client') {
      clients.add(change[2]);
    } else if (change[0] === 'upgrade') {
      upgrades.add(change[2]);
    } else if (change[0] === 'silenced') {
      const [, , subscription, check] = change;
      const id = silencedId(subscription, check);
      if (silenced.has(id)) continue;
      silenced.add(id);
      for (const named of namespace.eventsNamedBy(subscription, check)) {
        events.set(eventKey(named.client.name, named.name), named);
      }
    }
  }
  for (const id of silenced) {
    const entry = namespace.silenced.get(id);
    yield ['silenced', id, entry === undefined || isExpired(entry, nowMs) ? null : silencedRow(entry)];
  }
  for (const name of clients) {
    const client = namespace.clients.get(name);
    yield ['clients', name, client === undefined ? null : clientRow(client)];
  }
  for (const id of upgrades) {
    const stored = runbooks.get(id);
    yield ['upgrades', String(id), stored === undefined ? null : upgradeRow(stored.runbook)];
  }
  for (const [key, entry] of events) yield ['events', key, entry === undefined ? null : eventRow(entry, nowMs)];
}
