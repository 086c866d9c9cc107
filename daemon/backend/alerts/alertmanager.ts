import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ALERTMANAGER_API } from '../../../shared/api/alertmanager.ts';
import { labelsOfEvent } from '../../../shared/domain/alert-labels.ts';
import { familiesOf } from '../../../shared/domain/check-family.ts';
import { fingerprintOf } from '../../../shared/domain/fingerprint.ts';
import { ALERT_RECEIVER, ALERTMANAGER_VERSION, shownAlert } from '../../../shared/domain/shown-alert.ts';
import type { AlertSettings, ShownAlert } from '../../../shared/schemas/alert.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import { readEventsByEntry } from '../events/queries.ts';
import { parseBody } from '../http/json-body.ts';
import { loggedInhibitorIfActive } from '../model/notify/inhibitions/state.ts';
import { sendList } from '../http/list.ts';
import type { Handlers } from '../http/route.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { alertNamespace, alertFilterOf } from './query-filters.ts';
import { submitAlerts, type IncomingDependencies } from './commands.ts';

/** The dependencies of the routes for alerts in the Alertmanager API. */
interface AlertDependencies extends IncomingDependencies {
  readonly store: Store;
}

type AlertHandlers = Handlers<
  Pick<typeof ALERTMANAGER_API, 'healthy' | 'ready' | 'status' | 'receivers' | 'alerts' | 'alertGroups' | 'postAlerts'>
>;

/** Serves alerts in the Alertmanager API: submits posted alerts, and lists open events (prometheus 1.1 to 1.5). */
export function alertsOnAlertmanager(deps: AlertDependencies): AlertHandlers {
  const { clock, config, store } = deps;
  const startedAtMs = clock.now();

  /** Returns a function that reads events from the store, and returns those that the query selects, as alerts. */
  const alertReader = (
    request: FastifyRequest,
  ): ((entries: readonly CheckEntry[]) => Promise<readonly ShownAlert[]>) => {
    const isSelected = alertFilterOf(request);
    const settings = config.program.alerts;
    return async (entries) => {
      const events = await readEventsByEntry(store, entries, clock.now());
      const inhibitors = await inhibitorsOf(events.keys(), settings);
      return Array.from(events, ([entry, event]) => shownAlert(event, settings, inhibitors.get(entry))).filter(
        isSelected,
      );
    };
  };
  /** Returns, for each inhibited event, the fingerprint of the alert that inhibits it. */
  const inhibitorsOf = async (
    entries: Iterable<CheckEntry>,
    settings: AlertSettings,
  ): Promise<ReadonlyMap<CheckEntry, string>> => {
    const sources = new Map<CheckEntry, CheckEntry>();
    for (const entry of entries) {
      const inhibitor = loggedInhibitorIfActive(entry);
      const source = inhibitor && entry.client.namespace.check(inhibitor.client, inhibitor.check);
      if (source !== undefined) sources.set(entry, source);
    }
    const events = await readEventsByEntry(store, [...new Set(sources.values())], clock.now());
    const inhibitors = new Map<CheckEntry, string>();
    for (const [entry, source] of sources) {
      const event = events.get(source);
      if (event === undefined) continue;
      inhibitors.set(entry, fingerprintOf(labelsOfEvent(event.client.name, event.check, settings)));
    }
    return inhibitors;
  };
  const openEvents = (request: FastifyRequest): readonly CheckEntry[] => alertNamespace(request, deps).allEvents();

  return {
    healthy: sendOk,
    ready: sendOk,
    status: (request) => {
      alertNamespace(request, deps);
      return statusOf(startedAtMs);
    },
    receivers: (request) => {
      alertNamespace(request, deps);
      return [{ name: ALERT_RECEIVER }];
    },
    alerts: (request, reply) => sendAlerts(request, reply, openEvents(request), alertReader(request)),
    alertGroups: (request, reply) => {
      const label = config.program.alerts.check;
      const read = alertReader(request);
      return sendAlerts(request, reply, [...groupsOf(openEvents(request))], async (some) => {
        const groups = await Promise.all(some.map(read));
        return groups.flatMap((alerts) => {
          // The checks of a family (`A..B` and `A..C`) have different names, so the alerts are grouped by the check
          // name.
          const byName = Map.groupBy(alerts, ({ labels }) => labels[label] ?? '');
          return Array.from(byName, ([name, named]) => {
            return { labels: { [label]: name }, receiver: { name: ALERT_RECEIVER }, alerts: named };
          });
        });
      });
    },
    postAlerts: async (request, reply) => {
      alertNamespace(request, deps);
      await submitAlerts(parseBody(request), request.admission, deps);
      return reply.send();
    },
  };
}

function sendOk(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send('OK');
}

/** Maximum number of alerts in one group. More alerts of the same check are sent as several groups. */
const GROUP_MAX = 500;

/**
 * Yields groups of at most `GROUP_MAX` events. Checks of the same outermost family (`A` in `A..B..C`) are kept
 * together.
 */
function* groupsOf(entries: readonly CheckEntry[]): Generator<readonly CheckEntry[], void, undefined> {
  for (const group of Map.groupBy(entries, ({ name }) => familiesOf(name).at(-1) ?? name).values()) {
    for (let start = 0; start < group.length; start += GROUP_MAX) yield group.slice(start, start + GROUP_MAX);
  }
}

/** Sends a list without pagination, because the Alertmanager API has no query parameters for it. */
function sendAlerts<Entry, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => Promise<readonly Item[]>,
): Promise<FastifyReply> {
  return sendList(request, reply, entries, read, { isPaginated: false });
}

function statusOf(startedAtMs: number): object {
  return {
    cluster: { name: 'mon', status: 'disabled', peers: [] },
    // A minimal configuration with one route, because programs that use Alertmanager read it here.
    config: { original: `route:\n  receiver: ${ALERT_RECEIVER}\nreceivers:\n  - name: ${ALERT_RECEIVER}\n` },
    uptime: new Date(startedAtMs).toISOString(),
    versionInfo: {
      branch: '',
      buildDate: '',
      buildUser: '',
      goVersion: '',
      revision: `mon ${VERSION}`,
      version: ALERTMANAGER_VERSION,
    },
  };
}
