import type { Event } from '../../schemas/event.ts';
import { isAttributes, type Attributes } from '../attributes.ts';
import { redactEvent } from '../redact.ts';
import type { V2Entity } from '../../schemas/v2/entity.ts';
import type { V2EventCheck } from '../../schemas/v2/event.ts';
import { eventInFilter } from './event-shape.ts';
import { v2HandledEvent } from './handled-event.ts';

/**
 * Returns an event as v2 filters see it, `event.check.status` or `event.entity.labels`. It is redacted, has its
 * metadata in both places and zero values like at the peer, and flags that the peer adds, such as `is_incident`.
 */
export function eventSubjectOf(namespace: string, event: Event): Attributes {
  return subjectOf(namespace, event, eventInFilter(shownTo(namespace, event)));
}

/** Returns an event as message templates see it: like in filters, but with the zero values of the API. */
export function templateSubjectOf(namespace: string, event: Event): Attributes {
  return { ...subjectOf(namespace, event, shownTo(namespace, event)), id: event.id };
}

function shownTo(namespace: string, event: Event): Attributes {
  return { ...v2HandledEvent(namespace, redactEvent(event)) };
}

function subjectOf(namespace: string, { id, check, action, silenced }: Event, shown: Attributes): Attributes {
  const isResolution = action === 'resolve' || endsProblem(check);
  return {
    ...shown,
    id: bytesOf(id),
    namespace,
    entity: withPromotedNames(shown['entity'] as V2Entity),
    check: withPromotedNames(shown['check'] as V2EventCheck),
    has_check: true,
    has_metrics: hasMetrics(check),
    is_incident: check.status !== 0,
    is_resolution: isResolution,
    is_silenced: silenced,
    // The recorded peer does not remember earlier flapping, so each flapping event starts it and none ends it.
    is_flapping_start: action === 'flapping' && check.history.length > 2,
    is_flapping_end: false,
  };
}

/** Whether a check is OK after a problem, as the peer defines it: also while the event flaps. */
export function endsProblem({ status, history }: Event['check']): boolean {
  return status === 0 && history.length > 2 && history.at(-2) !== '0';
}

/** Whether a check has metrics: its own, by its type, or in its output according to `output_metric_format`. */
export function hasMetrics(check: Attributes): boolean {
  const format = check['output_metric_format'];
  return check['type'] === 'metric' || isAttributes(check['metrics']) || (typeof format === 'string' && format !== '');
}

/** Copies the attributes of metadata to the top level, as at the peer. */
export function withPromotedNames(part: { readonly metadata: object }): Attributes {
  return { ...(part.metadata as Attributes), ...part };
}

/** Converts an id to its sixteen bytes, since it is no text at the peer. */
function bytesOf(id: string): readonly number[] {
  return Array.from(id.replaceAll('-', '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
