import { profileOf } from '../../../shared/domain/client-profile.ts';
import { nextCheckState, NO_CHECK_STATE, type EventTransition } from '../../../shared/domain/event.ts';
import { handlersSentence, noTransitionSentence, transitionSentence } from '../../../shared/domain/notify/explain.ts';
import { decideNotifications } from '../../../shared/domain/notify/decide-notifications.ts';
import { predictInhibitions } from '../../../shared/domain/notify/inhibition-outlook.ts';
import { redactEvent } from '../../../shared/domain/redact.ts';
import { entriesEndedByResolve } from '../../../shared/domain/silencing.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { RuleOutlook, Simulation } from '../../../shared/schemas/explain.ts';
import { ClientEntry, type Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { openEvents } from '../model/events/state.ts';
import { buildNotificationContext } from '../notify/build-notification-context.ts';
import { handlersWithGroupedProblem, verdictsWithGroups } from '../notify/groups/queries.ts';
import { silencesBySelector, activeSilenceIds, type Occurrence } from '../notify/event-occurrence.ts';
import { inhibitorsOf } from '../model/notify/inhibitions/state.ts';
import { buildClientFromResult, type IncomingResult } from './process-result.ts';
import { bannedClientError, isBannedClient } from './trust.ts';
import { type Routing } from '../model/notify/routing.ts';

/** Returns the verdicts of the aggregate rules as if this result were stored. */
export type PredictRuleVerdicts = (
  namespace: Namespace,
  result: { readonly client: string; readonly check: CheckResult; readonly isSilenced: boolean },
  nowMs: number,
) => readonly RuleOutlook[];

interface SimulationDependencies {
  readonly namespace: Namespace;
  readonly routing: Routing;
  readonly registry: Registry;
  /** Current time in epoch milliseconds. */
  readonly nowMs: number;
  /** The stored record of the client; undefined if the client is unknown. */
  readonly record: Client | undefined;
  /** Returns an id for an event, in case the result would open one. */
  readonly newId: () => string;
  readonly rulesAfter: PredictRuleVerdicts;
}

/**
 * Returns the effects that a result would have if it arrived now. Nothing is changed and no handler is notified. The
 * registration event of a new client is not included.
 *
 * @throws MonError `forbidden` if the client was deleted with a ban
 */
export function simulateResult(parts: SimulationDependencies, result: IncomingResult): Simulation {
  const {
    namespace,
    record = buildClientFromResult(result, Math.floor(parts.nowMs / 1000)),
    routing,
    nowMs,
    newId,
  } = parts;
  const now = Math.floor(nowMs / 1000);
  const { check } = result;
  if (isBannedClient(namespace, result.client, nowMs)) throw bannedClientError(result.client);
  const client = namespace.clients.get(result.client) ?? newClient(namespace, record);
  const before = client.checks.get(check.name)?.state ?? NO_CHECK_STATE;
  const { state, transition } = nextCheckState(before, check, {
    now,
    newId,
    notifiesOk: check.status === 0 && routing.hasHandlerForOkEvents(namespace.name, check),
  });
  const subject = { client: client.name, check: check.name, transition: transition.kind };
  const effects = (
    event: Event | 'same' | undefined,
    isSilenced: boolean,
  ): Pick<Simulation, 'inhibits' | 'aggregates'> => {
    const inhibits = predictInhibitions(
      routing.definitions.inhibitions,
      namespace.name,
      event,
      countInhibitedEvents(client, check),
    );
    const aggregates = parts.rulesAfter(namespace, { client: client.name, check, isSilenced }, nowMs);
    return { ...(inhibits.length > 0 && { inhibits }), ...(aggregates.length > 0 && { aggregates }) };
  };
  const isOpen = state.event !== undefined;
  if (transition.kind === 'none') {
    const reason = noTransitionSentence(before, state, check);
    const isSilenced = isOpen && client.checks.get(check.name)?.isSilenced(nowMs) === true;
    return { ...subject, event: null, reason, handlers: [], ...effects(isOpen ? 'same' : undefined, isSilenced) };
  }
  const occurrence: Occurrence = {
    client,
    check,
    state: transition.event,
    history: state.history,
    isSimulated: true,
    isNewEvent: before.event === undefined,
  };
  const resolved = transition.kind === 'resolve' ? transition.event.notifications : undefined;
  const route = routing.route(namespace.name, check, resolved);
  const groups =
    transition.kind === 'resolve' ? handlersWithGroupedProblem(routing.definitions, occurrence, route.handlers) : [];
  const context = buildNotificationContext(parts, occurrence, {
    clientRecord: record,
    handlers: transition.kind === 'ok' ? route.v2Handlers : [...route.handlers, ...groups],
    overrides: {
      events: openEvents(namespace, { client: record, check: check.name, isOpen }),
      silencedBy: silenceIdsAfterTransition(occurrence, transition.kind, nowMs),
      leavesStoredEventUnchanged: transition.kind === 'metric' && isOpen,
    },
  });
  const { event } = context;
  const handlers = verdictsWithGroups(decideNotifications(context).decisions, {
    namespace,
    event,
    nowMs,
    isSimulated: true,
  });
  const reason = `${transitionSentence(before, transition)}: ${handlersSentence(handlers)}`;
  const left = isOpen ? (transition.kind === 'open' ? event : 'same') : undefined;
  const shown = transition.kind === 'ok' ? context.v2Event : event;
  return { ...subject, event: redactEvent(shown), reason, handlers, ...effects(left, isOpen && event.silenced) };
}

/** Returns the number of events that this event currently inhibits, by inhibition rule. */
function countInhibitedEvents(
  { name: client, namespace }: ClientEntry,
  { name: check }: CheckResult,
): ReadonlyMap<string, number> {
  const rules = [...inhibitorsOf(namespace).ofEvent(client, check).keys()];
  return new Map(rules.map((rule) => [rule, namespace.inhibited.eventsInhibitedBy({ rule, client, check }).size]));
}

function newClient(namespace: Namespace, record: Client): ClientEntry {
  const profile = { ...profileOf(record), key: '', bytes: 0, clients: 1 };
  const client = new ClientEntry(namespace, record, profile, { signature: '', reporter: undefined });
  namespace.updateSelectorAttributes(client, record);
  return client;
}

/**
 * Returns the ids of the silences that would silence the event, except those that its resolution ends (completion
 * 1.3.4).
 */
function silenceIdsAfterTransition(
  occurrence: Occurrence,
  kind: EventTransition['kind'],
  nowMs: number,
): readonly string[] {
  const ids = activeSilenceIds(occurrence, nowMs);
  if (kind !== 'resolve') return ids;
  const { namespace, subscriptions } = occurrence.client;
  const { name } = occurrence.check;
  const ended = entriesEndedByResolve(namespace.silenced, subscriptions, name, nowMs, silencesBySelector(occurrence));
  return ids.filter((id) => !ended.some((entry) => entry.id === id));
}
