import { profileOf } from '../../../shared/domain/client-profile.ts';
import { buildEvent } from '../../../shared/domain/build-event.ts';
import { nextCheckState, NO_CHECK_STATE, type Transition } from '../../../shared/domain/event.ts';
import { handlingSentence, noTransitionSentence, transitionSentence } from '../../../shared/domain/notify/explain.ts';
import type { HandlingCircumstances } from '../../../shared/domain/notify/verdict.ts';
import { inhibitionOutlook } from '../../../shared/domain/notify/inhibition-outlook.ts';
import { quietEnd } from '../../../shared/domain/notify/inhibition-rule.ts';
import { redactEvent } from '../../../shared/domain/redact.ts';
import { entriesEndedByResolve } from '../../../shared/domain/silencing.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { HandlerVerdict, RuleOutlook, Simulation } from '../../../shared/schemas/explain.ts';
import { ClientEntry, type Namespace } from '../registry/namespace.ts';
import { openEvents } from '../events/state.ts';
import { getsV2Events, groupsToldOf, selectedFor, silencedOkEvent, silencesOf } from '../notify/pipeline.ts';
import type { Occasion } from '../notify/context.ts';
import { inhibitionOf, inhibitorsOf } from '../notify/inhibitions/state.ts';
import { withGroups } from '../notify/groups/queries.ts';
import { clientMadeBy, type IncomingResult } from './process-result.ts';
import { banned, isBanned } from './trust.ts';
import { type EventHandling } from '../notify/route.ts';

/** Returns the verdicts of the rules about aggregates with one more result. */
export type RulesAfter = (
  namespace: Namespace,
  result: { readonly client: string; readonly check: CheckResult; readonly isSilenced: boolean },
  nowMs: number,
) => readonly RuleOutlook[];

interface SimulationParts {
  readonly namespace: Namespace;
  readonly handling: EventHandling;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The record of the client, if there is one. */
  readonly record: Client | undefined;
  /** Returns an id for an event that would begin. */
  readonly newId: () => string;
  readonly rulesAfter: RulesAfter;
}

/**
 * Returns the effects of a result as if it arrived now. Nothing is changed and no handler is notified; the event of a
 * new client's registration is left out.
 *
 * @throws MonError `forbidden` if it would be rejected
 */
export function simulateResult(parts: SimulationParts, result: IncomingResult): Simulation {
  const { namespace, record = clientMadeBy(result, Math.floor(parts.nowMs / 1000)), handling, nowMs, newId } = parts;
  const now = Math.floor(nowMs / 1000);
  const { check } = result;
  if (isBanned(namespace, result.client, nowMs)) throw banned(result.client);
  const client = namespace.clients.get(result.client) ?? newClient(namespace, record);
  const before = client.checks.get(check.name)?.state ?? NO_CHECK_STATE;
  const { state, transition } = nextCheckState(before, check, {
    now,
    newId,
    tellsAll: check.status === 0 && handling.tellsAll(namespace.name, check),
  });
  const about = { client: client.name, check: check.name, transition: transition.kind };
  const effects = (
    event: Event | 'same' | undefined,
    isSilenced: boolean,
  ): Pick<Simulation, 'inhibits' | 'aggregates'> => {
    const inhibits = inhibitionOutlook(
      handling.definitions.inhibitions,
      namespace.name,
      event,
      inhibitedBy(client, check),
    );
    const aggregates = parts.rulesAfter(namespace, { client: client.name, check, isSilenced }, nowMs);
    return { ...(inhibits.length > 0 && { inhibits }), ...(aggregates.length > 0 && { aggregates }) };
  };
  const isOpen = state.event !== undefined;
  if (transition.kind === 'none') {
    const reason = noTransitionSentence(before, state, check);
    const isSilenced = isOpen && client.checks.get(check.name)?.isSilenced(nowMs) === true;
    return { ...about, event: null, reason, handlers: [], ...effects(isOpen ? 'same' : undefined, isSilenced) };
  }
  const occasion: Occasion = { client, check, state: transition.event, history: state.history, isAssumed: true };
  const event = buildEvent({
    ...occasion,
    client: record,
    silencedBy: silencesAfter(occasion, transition.kind, nowMs),
  });
  const assumed = { client: record, check: check.name, isOpen };
  const route = handling.route(namespace.name, check);
  const groups = transition.kind === 'resolve' ? groupsToldOf(handling, { client, check }, route.handlers) : [];
  const routed = [...route.handlers, ...groups];
  const quiet =
    event.action === 'resolve'
      ? quietEnd(transition.event)
      : inhibitionOf(handling.definitions.inhibitions, namespace, event);
  const circumstances: HandlingCircumstances = {
    ...handling.circumstances(namespace.name, openEvents(namespace, assumed), nowMs, quiet),
    isBeside: transition.kind === 'metric' && isOpen,
  };
  const owing = transition.kind === 'metric' ? {} : transition.event;
  const silencedOk = silencedOkEvent(occasion, event, nowMs) ?? event;
  const verdictsIn = (surroundings: HandlingCircumstances): HandlerVerdict[] =>
    routed.flatMap((handler) =>
      handling.verdicts([handler], getsV2Events(handler) ? silencedOk : event, surroundings, owing),
    );
  const judged = verdictsIn(circumstances);
  const uninhibited = quiet && verdictsIn({ ...circumstances, quiet: undefined });
  const verdicts = withGroups(judged, routed, { namespace, event, nowMs, uninhibited, isAssumed: true });
  const told = new Set(route.all.map(({ name }) => name));
  const handlers = transition.kind === 'ok' ? verdicts.filter(({ handler }) => told.has(handler)) : verdicts;
  const reason = `${transitionSentence(before, transition)}: ${handlingSentence(handlers)}`;
  const left = isOpen ? (transition.kind === 'open' ? event : 'same') : undefined;
  const shown = transition.kind === 'ok' ? silencedOk : event;
  return { ...about, event: redactEvent(shown), reason, handlers, ...effects(left, isOpen && event.silenced) };
}

/** Returns the number of events that each rule inhibits now because of this one. */
function inhibitedBy(
  { name: client, namespace }: ClientEntry,
  { name: check }: CheckResult,
): ReadonlyMap<string, number> {
  const held = [...inhibitorsOf(namespace).of(client, check).keys()];
  return new Map(held.map((rule) => [rule, namespace.inhibited.of({ rule, client, check }).size]));
}

function newClient(namespace: Namespace, record: Client): ClientEntry {
  const profile = { ...profileOf(record), key: '', bytes: 0, clients: 1 };
  const client = new ClientEntry(namespace, record, profile, { signature: '', reporter: undefined });
  namespace.learnClient(client, record);
  return client;
}

/** Returns the silences that would remain: those that a resolution ends do not silence it (completion 1.3.4). */
function silencesAfter(occasion: Occasion, kind: Transition['kind'], nowMs: number): readonly string[] {
  const ids = silencesOf(occasion, nowMs);
  if (kind !== 'resolve') return ids;
  const { namespace, subscriptions } = occasion.client;
  const { name } = occasion.check;
  const ended = entriesEndedByResolve(namespace.silenced, subscriptions, name, nowMs, selectedFor(occasion));
  return ids.filter((id) => !ended.some((entry) => entry.id === id));
}
