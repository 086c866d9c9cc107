import type { FastifyInstance } from 'fastify';
import { ALERTMANAGER_API } from '../../../shared/api/alertmanager.ts';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { MON_API } from '../../../shared/api/mon.ts';
import { V1_API } from '../../../shared/api/v1.ts';
import { V2_API, V2_HEALTH } from '../../../shared/api/v2.ts';
import { accessOnMon } from '../accounts/routes-mon.ts';
import { apiKeysOnV2 } from '../accounts/v2-api-keys.ts';
import { authOnV2 } from '../accounts/v2-auth.ts';
import { rolesOnV2 } from '../accounts/v2-roles.ts';
import { usersOnV2 } from '../accounts/v2-users.ts';
import { aggregatesOnMon } from '../aggregates/routes-mon.ts';
import { rulesAfter } from '../aggregates/outlook.ts';
import { openRuleWatch } from '../aggregates/rules.ts';
import { aggregatesOnV1 } from '../aggregates/routes-v1.ts';
import { alertsOnAlertmanager } from '../alerts/alertmanager.ts';
import { silencesOnAlertmanager } from '../alerts/silences.ts';
import { auditOnMon } from '../audit/routes-mon.ts';
import { bulkOnMon } from '../bulk/routes-mon.ts';
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
import { overviewOf, type OverviewParts } from '../health/overview.ts';
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
import { serve, type Handlers, type RouteAccess } from '../http/route.ts';
import type { ServerDeps } from '../http/server.ts';
import { namespacesOnV2 } from '../namespaces/routes-v2.ts';
import { storeUpgradeOnMon } from '../plans/mon-store.ts';
import { plansOnMon } from '../plans/routes-mon.ts';
import { versionsOf, type VersionParts } from '../plans/versions.ts';
import { reportOnMon } from '../report/routes-mon.ts';
import { simulationOnMon } from '../results/mon-simulate.ts';
import { resultsOnMon } from '../results/routes-mon.ts';
import { resultsOnV1 } from '../results/routes-v1.ts';
import { commandSilencesOnMon } from '../silences/command-silences.ts';
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
export type ApiDeps = V1Deps &
  MonDeps &
  V2Deps &
  FirstOf<typeof alertsOnAlertmanager> &
  FirstOf<typeof silencesOnAlertmanager> &
  ServerDeps;

type FirstOf<Noun extends (deps: never) => unknown> = Parameters<Noun>[0];

type V1Deps = FirstOf<typeof eventsOnV1> &
  FirstOf<typeof resultsOnV1> &
  FirstOf<typeof silencedOnV1> &
  FirstOf<typeof clientsOnV1> &
  FirstOf<typeof aggregatesOnV1> &
  FirstOf<typeof stashesOnV1> &
  FirstOf<typeof checksOnV1> &
  FirstOf<typeof infoOnV1> &
  FirstOf<typeof healthOnV1> &
  FirstOf<typeof settingsOnV1> &
  FirstOf<typeof metricsOnV1> &
  FirstOf<typeof resultMetricsOnV1>;

type MonDeps = FirstOf<typeof eventsOnMon> &
  FirstOf<typeof timelineOnMon> &
  FirstOf<typeof reportOnMon> &
  FirstOf<typeof pastStateOnMon> &
  FirstOf<typeof explanationOnMon> &
  FirstOf<typeof handlerTestOnMon> &
  FirstOf<typeof resultsOnMon> &
  Parameters<typeof simulationOnMon>[0] &
  FirstOf<typeof acknowledgementsOnMon> &
  FirstOf<typeof silencedOnMon> &
  FirstOf<typeof commandSilencesOnMon> &
  FirstOf<typeof bulkOnMon> &
  FirstOf<typeof clientsOnMon> &
  FirstOf<typeof checksOnMon> &
  FirstOf<typeof aggregatesOnMon> &
  FirstOf<typeof handlersOnMon> &
  FirstOf<typeof deadLettersOnMon> &
  FirstOf<typeof auditOnMon> &
  FirstOf<typeof dumpOnMon> &
  FirstOf<typeof clusterOnMon> &
  FirstOf<typeof storeUpgradeOnMon> &
  FirstOf<typeof plansOnMon> & { readonly overview: OverviewParts; readonly versions: VersionParts };

type V2Deps = FirstOf<typeof authOnV2> &
  FirstOf<typeof usersOnV2> &
  FirstOf<typeof apiKeysOnV2> &
  FirstOf<typeof rolesOnV2> &
  FirstOf<typeof namespacesOnV2> &
  FirstOf<typeof checksOnV2> &
  FirstOf<typeof entitiesOnV2> &
  FirstOf<typeof eventsOnV2> &
  FirstOf<typeof silencedOnV2> &
  FirstOf<typeof clusterOnV2>;

/** Registers the routes of all APIs: v1, v2, mon and Alertmanager. */
export function serveEverything(app: FastifyInstance, deps: ApiDeps, access: readonly RouteAccess[]): void {
  measureRequests(app, deps.metrics);
  serveV2(app, deps);
  serve(app, V1_API, {
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
  serve(app, MON_API, {
    ...accessOnMon(access),
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
      rulesAfter(
        deps.config.program['aggregate-rules'],
        namespace,
        result,
        deps.registry.state(openRuleWatch).momentAt(nowMs),
      ),
    ),
    ...acknowledgementsOnMon(deps),
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
  serve(app, ALERTMANAGER_API, { ...alertsOnAlertmanager(deps), ...silencesOnAlertmanager(deps) });
}

/** Registers the routes of a listener that serves only the v2 API, with `/health` of the v2 API, and the metrics. */
export function serveV2Only(app: FastifyInstance, deps: ApiDeps): void {
  measureRequests(app, deps.metrics);
  serve(app, { metrics: V1_API.metrics }, metricsOnV1(deps));
  serveV2(app, deps);
  serve(app, V2_HEALTH, healthOnV2(deps));
}

function serveV2(app: FastifyInstance, deps: ApiDeps): void {
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
    serve<Readonly<Record<string, Endpoint>>>(app, V2_API[noun], handlers[noun]);
  }
}
