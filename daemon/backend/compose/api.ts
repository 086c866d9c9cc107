import type { FastifyInstance } from 'fastify';
import { ALERTMANAGER_API } from '../../../shared/api/alertmanager.ts';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { MON_API } from '../../../shared/api/mon.ts';
import { V1_API } from '../../../shared/api/v1.ts';
import { V2_API, V2_HEALTH } from '../../../shared/api/v2.ts';
import { loginsOnMon } from '../accounts/logins.ts';
import { accessOnMon } from '../accounts/routes-mon.ts';
import { apiKeysOnV2 } from '../accounts/v2-api-keys.ts';
import { authOnV2 } from '../accounts/v2-auth.ts';
import { rolesOnV2 } from '../accounts/v2-roles.ts';
import { usersOnV2 } from '../accounts/v2-users.ts';
import { aggregatesOnMon } from '../aggregates/routes-mon.ts';
import { predictRuleVerdicts } from '../aggregates/outlook.ts';
import { openRuleWatch } from '../aggregates/rules.ts';
import { aggregatesOnV1 } from '../aggregates/routes-v1.ts';
import { alertsOnAlertmanager } from '../alerts/alertmanager.ts';
import { silencesOnAlertmanager } from '../alerts/silences.ts';
import { auditOnMon } from '../audit/routes-mon.ts';
import { bulkOnMon } from '../bulk/routes-mon.ts';
import { chatOnMon } from '../chat/routes-mon.ts';
import { checksOnMon } from '../checks/routes-mon.ts';
import { checksOnV1 } from '../checks/routes-v1.ts';
import { checksOnV2 } from '../checks/routes-v2.ts';
import { clientsOnMon } from '../clients/routes-mon.ts';
import { clientsOnV1 } from '../clients/routes-v1.ts';
import { entitiesOnV2 } from '../clients/routes-v2.ts';
import { hooksOnV2 } from '../definitions/v2-hooks.ts';
import { assetsOnV2, filtersOnV2, handlersOnV2, mutatorsOnV2, pipelinesOnV2 } from '../definitions/v2-kinds.ts';
import { clusterOnMon } from '../cluster/routes-mon.ts';
import { dumpOnMon } from '../dump/routes-mon.ts';
import { eventsOnMon } from '../events/routes-mon.ts';
import { overviewOf, type OverviewDependencies } from '../health/overview.ts';
import { requestedNamespaces } from '../namespaces/request-namespaces.ts';
import { eventsOnV1 } from '../events/routes-v1.ts';
import { eventsOnV2 } from '../events/routes-v2.ts';
import { deadLettersOnMon } from '../notify/delivery/dead-letter-routes.ts';
import { explanationOnMon } from '../events/mon-explain.ts';
import { handlerTestOnMon } from '../events/mon-test-handler.ts';
import { resultMetricsOnV1 } from '../notify/delivery/routes-v1.ts';
import { handlersOnMon } from '../notify/delivery/routes-mon.ts';
import { infoOnV1 } from '../health/v1-info.ts';
import { measureRequests, metricsOnV1 } from '../health/v1-metrics.ts';
import { settingsOnV1 } from '../health/v1-settings.ts';
import { healthOnV1 } from '../health/routes-v1.ts';
import { clusterOnV2 } from '../health/v2-cluster.ts';
import { TESSEN_ON_V2 } from '../health/v2-tessen.ts';
import { VERSIONS_ON_V2 } from '../health/v2-version.ts';
import { healthOnV2 } from '../health/routes-v2.ts';
import { openApiOnMon } from '../http/openapi.ts';
import { serveEndpoints, type Handlers, type RouteAccess } from '../http/route.ts';
import type { ServerDependencies } from '../http/server.ts';
import { namespacesOnV2 } from '../namespaces/routes-v2.ts';
import { storeUpgradeOnMon } from '../plans/mon-store.ts';
import { plansOnMon } from '../plans/routes-mon.ts';
import { versionsOf, type VersionDependencies } from '../plans/versions.ts';
import { reportOnMon } from '../report/routes-mon.ts';
import { simulationOnMon } from '../results/mon-simulate.ts';
import { resultsOnMon } from '../results/routes-mon.ts';
import { resultsOnV1 } from '../results/routes-v1.ts';
import { commandSilencesOnMon } from '../silences/command-silences.ts';
import { schedulesOnMon } from '../on-call/routes-mon.ts';
import { acknowledgementsOnMon } from '../acknowledgements/routes-mon.ts';
import { silencedOnMon } from '../silences/routes-mon.ts';
import { silencedOnV1 } from '../silences/routes-v1.ts';
import { silencedOnV2 } from '../silences/routes-v2.ts';
import { stashesOnMon } from '../stashes/routes-mon.ts';
import { stashesOnV1 } from '../stashes/routes-v1.ts';
import { groupsOnMon } from '../notify/groups/routes-mon.ts';
import { inhibitionsOnMon } from '../notify/inhibitions/routes-mon.ts';
import { timelineOnMon } from '../timeline/routes-mon.ts';
import { pastStateOnMon } from '../timeline/mon-state.ts';

/** The dependencies of the routes of all APIs. */
export type ApiDependencies = V1Dependencies &
  MonDependencies &
  V2Dependencies &
  FirstParameter<typeof alertsOnAlertmanager> &
  FirstParameter<typeof silencesOnAlertmanager> &
  ServerDependencies;

type FirstParameter<Noun extends (deps: never) => unknown> = Parameters<Noun>[0];

type V1Dependencies = FirstParameter<typeof eventsOnV1> &
  FirstParameter<typeof resultsOnV1> &
  FirstParameter<typeof silencedOnV1> &
  FirstParameter<typeof clientsOnV1> &
  FirstParameter<typeof aggregatesOnV1> &
  FirstParameter<typeof stashesOnV1> &
  FirstParameter<typeof checksOnV1> &
  FirstParameter<typeof infoOnV1> &
  FirstParameter<typeof healthOnV1> &
  FirstParameter<typeof settingsOnV1> &
  FirstParameter<typeof metricsOnV1> &
  FirstParameter<typeof resultMetricsOnV1>;

type MonDependencies = FirstParameter<typeof eventsOnMon> &
  FirstParameter<typeof loginsOnMon> &
  FirstParameter<typeof timelineOnMon> &
  FirstParameter<typeof reportOnMon> &
  FirstParameter<typeof pastStateOnMon> &
  FirstParameter<typeof explanationOnMon> &
  FirstParameter<typeof handlerTestOnMon> &
  FirstParameter<typeof resultsOnMon> &
  Parameters<typeof simulationOnMon>[0] &
  FirstParameter<typeof acknowledgementsOnMon> &
  FirstParameter<typeof chatOnMon> &
  FirstParameter<typeof schedulesOnMon> &
  FirstParameter<typeof silencedOnMon> &
  FirstParameter<typeof commandSilencesOnMon> &
  FirstParameter<typeof bulkOnMon> &
  FirstParameter<typeof clientsOnMon> &
  FirstParameter<typeof checksOnMon> &
  FirstParameter<typeof aggregatesOnMon> &
  FirstParameter<typeof handlersOnMon> &
  FirstParameter<typeof deadLettersOnMon> &
  FirstParameter<typeof auditOnMon> &
  FirstParameter<typeof dumpOnMon> &
  FirstParameter<typeof clusterOnMon> &
  FirstParameter<typeof storeUpgradeOnMon> &
  FirstParameter<typeof plansOnMon> & {
    readonly overview: OverviewDependencies;
    readonly versions: VersionDependencies;
  };

type V2Dependencies = FirstParameter<typeof authOnV2> &
  FirstParameter<typeof usersOnV2> &
  FirstParameter<typeof apiKeysOnV2> &
  FirstParameter<typeof rolesOnV2> &
  FirstParameter<typeof namespacesOnV2> &
  FirstParameter<typeof checksOnV2> &
  FirstParameter<typeof entitiesOnV2> &
  FirstParameter<typeof eventsOnV2> &
  FirstParameter<typeof silencedOnV2> &
  FirstParameter<typeof clusterOnV2>;

/** Registers the routes of all APIs: v1, v2, mon and Alertmanager. */
export function serveEverything(app: FastifyInstance, deps: ApiDependencies, access: readonly RouteAccess[]): void {
  measureRequests(app, deps.metrics);
  serveV2(app, deps);
  serveEndpoints(app, V1_API, {
    ...eventsOnV1(deps),
    ...resultsOnV1(deps),
    ...silencedOnV1(deps),
    ...clientsOnV1(deps),
    ...aggregatesOnV1(deps),
    ...stashesOnV1(deps),
    ...checksOnV1(deps),
    ...infoOnV1(deps),
    ...healthOnV1(deps),
    ...settingsOnV1(deps),
    ...metricsOnV1(deps),
    ...resultMetricsOnV1(deps),
  });
  serveEndpoints(app, MON_API, {
    ...accessOnMon(access),
    ...loginsOnMon(deps),
    ...openApiOnMon(),
    ...eventsOnMon(deps),
    ...timelineOnMon(deps),
    ...reportOnMon(deps),
    ...pastStateOnMon(deps),
    ...groupsOnMon(deps),
    ...inhibitionsOnMon(deps),
    ...explanationOnMon(deps),
    ...handlerTestOnMon(deps),
    overview: (request) => overviewOf(deps.overview, requestedNamespaces(request, deps.overview)),
    ...resultsOnMon(deps),
    ...simulationOnMon(deps, (namespace, result, nowMs) =>
      predictRuleVerdicts(
        deps.config.program['aggregate-rules'],
        namespace,
        result,
        deps.registry.state(openRuleWatch).momentAt(nowMs),
      ),
    ),
    ...acknowledgementsOnMon(deps),
    ...chatOnMon(deps),
    ...schedulesOnMon(deps),
    ...silencedOnMon(deps),
    ...commandSilencesOnMon(deps),
    ...bulkOnMon(deps),
    ...clientsOnMon(deps),
    ...checksOnMon(deps),
    ...aggregatesOnMon(deps),
    ...stashesOnMon(deps),
    ...handlersOnMon(deps),
    ...deadLettersOnMon(deps),
    ...auditOnMon(deps),
    ...dumpOnMon(deps),
    versions: () => versionsOf(deps.versions),
    ...clusterOnMon(deps),
    ...storeUpgradeOnMon(deps),
    ...plansOnMon(deps),
  });
  serveEndpoints(app, ALERTMANAGER_API, { ...alertsOnAlertmanager(deps), ...silencesOnAlertmanager(deps) });
}

/** Registers the routes of a listener that serves only the v2 API, with `/health` of the v2 API, and the metrics. */
export function serveV2Only(app: FastifyInstance, deps: ApiDependencies): void {
  measureRequests(app, deps.metrics);
  serveEndpoints(app, { metrics: V1_API.metrics }, metricsOnV1(deps));
  serveV2(app, deps);
  serveEndpoints(app, V2_HEALTH, healthOnV2(deps));
}

function serveV2(app: FastifyInstance, deps: ApiDependencies): void {
  const handlers: { readonly [Noun in keyof typeof V2_API]: Handlers<(typeof V2_API)[Noun]> } = {
    versions: VERSIONS_ON_V2,
    auth: authOnV2(deps),
    users: usersOnV2(deps),
    apiKeys: apiKeysOnV2(deps),
    namespaces: namespacesOnV2(deps),
    checks: checksOnV2(deps),
    handlers: handlersOnV2(deps),
    filters: filtersOnV2(deps),
    mutators: mutatorsOnV2(deps),
    pipelines: pipelinesOnV2(deps),
    hooks: hooksOnV2(deps),
    assets: assetsOnV2(deps),
    entities: entitiesOnV2(deps),
    events: eventsOnV2(deps),
    silenced: silencedOnV2(deps),
    ...rolesOnV2(deps),
    tessen: TESSEN_ON_V2,
    cluster: clusterOnV2(deps),
  };
  for (const noun of Object.keys(V2_API) as (keyof typeof V2_API)[]) {
    serveEndpoints<Readonly<Record<string, Endpoint>>>(app, V2_API[noun], handlers[noun]);
  }
}
