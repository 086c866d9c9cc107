import { handlingSentence, noEventSentence, recoveringSentence } from '../../../shared/domain/notify/explain.ts';
import { nameOf, refusal, type RoutedHandler } from '../../../shared/domain/notify/verdict.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type {
  Deliveries,
  Delivery,
  DeliveryView,
  ExplainedEvent,
  Explanation,
  HandlerExplanation,
  HandlerVerdict,
} from '../../../shared/schemas/explain.ts';
import type { Recovery } from '../../../shared/schemas/recovery.ts';
import { subdueOf } from '../../schedule/subdue.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import { openEvents } from './state.ts';
import { readClient } from '../clients/read.ts';
import { eventOf } from './read.ts';
import { withGroups } from '../notify/groups/queries.ts';
import { inhibitionOf } from '../notify/inhibitions/state.ts';
import { readRecords } from './read-records.ts';
import type { EventHandling } from '../notify/route.ts';

/** The dependencies of an explanation. */
export interface ExplainDeps {
  readonly store: Store;
  readonly handling: EventHandling;
  readonly deliveries: Deliveries;
}

/** Explains why the handlers of a check run or do not run for its stored event; undefined if its record is deleted. */
export async function explainEvent(
  { store, handling, deliveries }: ExplainDeps,
  entry: CheckEntry,
  nowMs: number,
): Promise<Explanation | undefined> {
  const [[found], owner] = await Promise.all([readRecords(store, [entry]), readClient(store, entry.client)]);
  if (found === undefined || owner === undefined) return undefined;
  const [, record] = found;
  const { name: client, namespace } = entry.client;
  const definition = handling.definitions.in(namespace.name).check(entry.name);
  const subdued = definition !== undefined && subdueOf(definition)(nowMs) ? { subdued: true } : {};
  const deliveryAt = (verdict: HandlerVerdict): HandlerExplanation => ({
    ...verdict,
    delivery: deliveryView(
      verdict.group === undefined
        ? deliveries.lastOf(namespace.name, client, entry.name, verdict.handler)
        : deliveries.lastOfGroup(namespace.name, verdict.group.id, verdict.handler),
    ),
  });
  const event = eventOf(entry, record, owner, nowMs);
  if (event !== undefined) {
    const quiet = inhibitionOf(handling.definitions.inhibitions, namespace, event);
    const circumstances = handling.circumstances(namespace.name, openEvents(namespace), nowMs, quiet);
    const routed = handling.route(namespace.name, event.check).handlers;
    const judged = handling.verdicts(routed, event, circumstances);
    const uninhibited =
      quiet && handling.verdicts(routed, event, { ...circumstances, quiet: undefined }, record.event ?? {});
    const verdicts = withGroups(judged, routed, { namespace, event, nowMs, uninhibited });
    const recovery = record.event?.recovery;
    const handled = handlingSentence(verdicts);
    const reason = recovery === undefined ? handled : recoveringSentence(recovery, handled);
    const about = { client, check: entry.name, event: summary(event, recovery), ...subdued, reason };
    return { ...about, handlers: verdicts.map(deliveryAt) };
  }
  if (record.check === null) return undefined;
  const verdicts = handling.route(namespace.name, record.check).handlers.map(withoutEvent);
  const reason = noEventSentence(record.check.status);
  return { client, check: entry.name, event: null, ...subdued, reason, handlers: verdicts.map(deliveryAt) };
}

function deliveryView(delivery: Delivery | undefined): DeliveryView | null {
  return delivery === undefined ? null : { ...delivery, at: Math.floor(delivery.at / 1000) };
}

function withoutEvent(handler: RoutedHandler): HandlerVerdict {
  if (handler.kind !== 'handler') return refusal(handler);
  return { ...nameOf(handler), verdict: 'no_event', reason: 'there is no event to handle' };
}

function summary(
  { id, check, action, occurrences, silenced_by }: Event,
  recovering: Recovery | undefined,
): ExplainedEvent {
  const told = { id, status: check.status, action, occurrences, silenced_by };
  return recovering === undefined ? told : { ...told, recovering };
}
