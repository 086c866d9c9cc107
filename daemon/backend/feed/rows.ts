import { isExpired } from '../../../shared/domain/expiry.ts';
import { checkRedactKeysOf, hasOwnRedactKeys, redact } from '../../../shared/domain/redact.ts';
import { silencedBy, silencedId, silencedRow } from '../../../shared/domain/silencing.ts';
import { currentStep } from '../../../shared/domain/plan/run.ts';
import { eventKey, type ClientRow, type EventRow, type UpgradeRow } from '../../../shared/schemas/feed.ts';
import type { PlanRun } from '../../../shared/schemas/plan-run.ts';
import type { Change } from '../ports.ts';
import type { ChangedRow } from './row-selection.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import type { FeedReach } from './feed-reach.ts';

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

/** What rows are made of. */
export interface ShownState {
  readonly registry: Pick<Registry, 'held' | 'namespaces' | 'plans'>;
  readonly reach: FeedReach;
}

/** Rows of a namespace as a consumer gets them: among those of many each says where it is, and its key begins with that. */
export function* rowsAt(
  rows: Iterable<ChangedRow>,
  namespace: string,
  { isMany }: Pick<FeedReach, 'isMany'>,
): Generator<ChangedRow, void, undefined> {
  if (!isMany) return yield* rows;
  for (const [topic, key, row] of rows) {
    yield [topic, `${namespace}/${key}`, row === null ? null : { ...row, namespace }] as ChangedRow;
  }
}

/**
 * The newest rows of what changed, each once, however often it changed. Events that a silenced entry names change their
 * silenced state with it.
 */
export function* changedRows(
  { registry, reach }: ShownState,
  changes: Iterable<Change>,
  nowMs: number,
): Generator<ChangedRow, void, undefined> {
  const changed = new Map<string, ChangedKeys>();
  const upgrades = new Set<number>();
  for (const change of changes) {
    const [kind, name] = change;
    if (kind === 'upgrade') {
      if (reach.seesPlans) upgrades.add(change[2]);
      continue;
    }
    let keys = changed.get(name);
    if (keys === undefined) changed.set(name, (keys = new ChangedKeys(registry.held(name))));
    keys.note(change);
  }
  for (const [name, keys] of changed) yield* rowsAt(keys.silencedAndClients(nowMs), name, reach);
  for (const id of upgrades) {
    const stored = registry.plans.get(id);
    yield ['upgrades', String(id), stored === undefined ? null : upgradeRow(stored.runbook)];
  }
  for (const [name, keys] of changed) yield* rowsAt(keys.eventRows(nowMs), name, reach);
}

/** What changed in one namespace. */
class ChangedKeys {
  readonly #events = new Map<string, CheckEntry | undefined>();
  readonly #silenced = new Set<string>();
  readonly #clients = new Set<string>();
  readonly #namespace: Namespace | undefined;

  /** @param namespace undefined: it was removed since, and all that was in it */
  constructor(namespace: Namespace | undefined) {
    this.#namespace = namespace;
  }

  note(change: Change): void {
    switch (change[0]) {
      case 'event': {
        const [, , client, check] = change;
        const key = eventKey(client, check);
        if (!this.#events.has(key)) this.#events.set(key, this.#namespace?.check(client, check));
        break;
      }
      case 'client':
        this.#clients.add(change[2]);
        break;
      case 'silenced':
        this.#noteSilenced(change[2], change[3]);
        break;
      default:
    }
  }

  #noteSilenced(subscription: string | null, check: string | null): void {
    const id = silencedId(subscription, check);
    if (this.#silenced.has(id)) return;
    this.#silenced.add(id);
    for (const named of this.#namespace?.eventsNamedBy(subscription, check) ?? []) {
      this.#events.set(eventKey(named.client.name, named.name), named);
    }
  }

  *silencedAndClients(nowMs: number): Generator<ChangedRow, void, undefined> {
    for (const id of this.#silenced) {
      const entry = this.#namespace?.silenced.get(id);
      yield ['silenced', id, entry === undefined || isExpired(entry, nowMs) ? null : silencedRow(entry)];
    }
    for (const name of this.#clients) {
      const client = this.#namespace?.clients.get(name);
      yield ['clients', name, client === undefined ? null : clientRow(client)];
    }
  }

  *eventRows(nowMs: number): Generator<ChangedRow, void, undefined> {
    for (const [key, entry] of this.#events) yield ['events', key, entry === undefined ? null : eventRow(entry, nowMs)];
  }
}
