import type { Deliveries } from '../../../shared/schemas/explain.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log, LogRequest } from '../../log/log.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { DeadLetters } from '../handlers/dead-letters.ts';
import type { JobRunner } from '../handlers/run-jobs.ts';
import type { Metrics } from '../health/metrics.ts';
import type { Aggregates } from '../aggregates/write.ts';
import type { ApiKeys } from '../access/api-keys.ts';
import type { Audit } from '../audit/write.ts';
import type { Bulk } from '../bulk/write.ts';
import type { Checks } from '../checks/write.ts';
import type { Clients } from '../clients/write.ts';
import type { V2Events } from '../events/v2-write.ts';
import type { Entities } from '../clients/v2-write.ts';
import type { EntityLimit } from '../clients/entity-limit.ts';
import type { DefinitionChanges } from '../definitions/write.ts';
import type { Events } from '../events/write.ts';
import type { Namespaces } from '../namespaces/write.ts';
import type { CheckNames } from '../checks/rename.ts';
import type { Restore } from '../dump/restore.ts';
import type { CheckRequests } from '../checks/runs.ts';
import type { Results } from '../results/write.ts';
import type { Sessions } from '../access/sessions.ts';
import type { SilencedEntries } from '../silences/write.ts';
import type { Stashes } from '../stashes/write.ts';
import type { Users } from '../access/users.ts';
import type { Clock, Store } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { HealthParts } from '../health/deep-health.ts';
import type { OverviewParts } from '../events/overview.ts';
import type { VersionParts } from '../plans/versions.ts';
import type { Registry } from '../registry/registry.ts';
import type { CheckSchedule } from '../schedule/publish-check-requests.ts';
import type { PlanRunner } from '../plans/plan-runner.ts';
import type { StoreUpgrades } from '../plans/store-upgrades.ts';
import type { SlowPeers } from './slow-peers.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Callers } from '../access/caller.ts';
import type { EventHandling } from '../handlers/event-handling.ts';
import type { BackendStatus } from '../health/backend-status.ts';

/** What the API works with. */
export interface ApiParts {
  readonly results: Results;
  readonly events: Events;
  readonly silenced: SilencedEntries;
  readonly clients: Clients;
  readonly entities: Entities;
  readonly v2Events: V2Events;
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
  readonly upgrades: PlanRunner;
  readonly handling: EventHandling;
  readonly deliveries: Deliveries;
}

/** What the legacy API shows. Ask again for each request: the registry replaces it when it reads the store again. */
export function v1Namespace({ registry }: Pick<ApiParts, 'registry'>): Namespace {
  return registry.namespace(DEFAULT_NAMESPACE);
}

/** The answer to what was taken: when, in epoch seconds. */
export function issued({ clock }: Pick<ApiParts, 'clock'>): { readonly issued: number } {
  return { issued: Math.floor(clock.now() / 1000) };
}
