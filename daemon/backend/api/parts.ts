import type { Deliveries } from '../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log, LogRequest } from '../../log/log.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { DeadLetters } from '../handlers/dead-letters.ts';
import type { JobRunner } from '../handlers/run-jobs.ts';
import type { Metrics } from '../metrics.ts';
import type { Aggregates } from '../pipeline/aggregates.ts';
import type { ApiKeys } from '../pipeline/api-keys.ts';
import type { Audit } from '../pipeline/audit.ts';
import type { Bulk } from '../pipeline/bulk.ts';
import type { Checks } from '../pipeline/checks.ts';
import type { Clients } from '../pipeline/clients.ts';
import type { CoreEvents } from '../pipeline/core-events.ts';
import type { Entities } from '../pipeline/entities.ts';
import type { EntityLimit } from '../pipeline/entity-limit.ts';
import type { DefinitionChanges } from '../pipeline/definitions.ts';
import type { Events } from '../pipeline/events.ts';
import type { EventHandling } from '../pipeline/handle-event.ts';
import type { Namespaces } from '../pipeline/namespaces.ts';
import type { CheckNames } from '../pipeline/rename-check.ts';
import type { Restore } from '../pipeline/restore.ts';
import type { CheckRequests } from '../pipeline/requests.ts';
import type { Results } from '../pipeline/results.ts';
import type { Sessions } from '../pipeline/sessions.ts';
import type { SilencedEntries } from '../pipeline/silenced.ts';
import type { Stashes } from '../pipeline/stashes.ts';
import type { Users } from '../pipeline/users.ts';
import type { Clock, Store } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { HealthParts } from '../read/deep-health.ts';
import type { OverviewParts } from '../read/overview.ts';
import type { VersionParts } from '../read/versions.ts';
import type { Registry } from '../registry/registry.ts';
import type { CheckSchedule } from '../scheduler/publish-check-requests.ts';
import type { RunbookRunner } from '../runbook/runbook-runner.ts';
import type { StoreUpgrades } from '../upgrade/store-upgrades.ts';
import type { SlowPeers } from '../transport/slow-peers.ts';
import type { Authenticator } from './auth.ts';
import type { Callers } from './caller.ts';
import type { BackendStatus } from './legacy/info.ts';

/** What the API works with. */
export interface ApiParts {
  readonly results: Results;
  readonly events: Events;
  readonly silenced: SilencedEntries;
  readonly clients: Clients;
  readonly entities: Entities;
  readonly coreEvents: CoreEvents;
  readonly aggregates: Aggregates;
  readonly stashes: Stashes;
  readonly checks: Checks;
  readonly checkNames: CheckNames;
  readonly requests: CheckRequests;
  readonly audit: Audit;
  readonly definitionChanges: DefinitionChanges;
  readonly namespaces: Namespaces;
  readonly bulk: Bulk;
  readonly restore: Restore;
  readonly entityLimit: EntityLimit;
  readonly schedule: Pick<CheckSchedule, 'nextRunMs'>;
  readonly handlers: Pick<JobRunner, 'figures'>;
  readonly deadLetters: DeadLetters;
  readonly registry: Registry;
  readonly slowPeers: SlowPeers;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly logRequest?: LogRequest;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly users: Users;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly config: ConfigInForce;
  readonly status: BackendStatus;
  readonly metrics: Metrics;
  readonly health: HealthParts;
  readonly overview: OverviewParts;
  readonly versions: VersionParts;
  readonly storeUpgrades: StoreUpgrades;
  readonly upgrades: RunbookRunner;
  readonly handling: EventHandling;
  readonly deliveries: Deliveries;
}

/** What the legacy API shows. Ask again for each request: the registry replaces it when it reads the store again. */
export function legacyNamespace({ registry }: Pick<ApiParts, 'registry'>): Namespace {
  return registry.namespace(DEFAULT_NAMESPACE);
}

/** The answer to what was taken: when, in epoch seconds. */
export function issued({ clock }: Pick<ApiParts, 'clock'>): { readonly issued: number } {
  return { issued: Math.floor(clock.now() / 1000) };
}
