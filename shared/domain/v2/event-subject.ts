import type { Event } from '../../schemas/event.ts';
import { isAttributes, type Attributes } from '../attributes.ts';
import { redactEvent } from '../redact.ts';
import type { V2Entity } from '../../schemas/v2/entity.ts';
import type { V2EventCheck } from '../../schemas/v2/event.ts';
import { eventInFilter } from './event-shape.ts';
import { v2HandledEvent } from './handled-event.ts';

/**
 * Returns a redacted event in the form that v2 filters use, as in `event.check.status` or `event.entity.labels`. As in
 * Sensu Go, the attributes of metadata are also at the top level. Attributes that are not set are zero or empty, and
 * flags such as `is_incident` are added.
 */
export function eventSubjectOf(namespace: string, event: Event): Attributes {
  return subjectOf(namespace, event, eventInFilter(eventForFilters(namespace, event)));
}

/** Returns a redacted event as message templates use it: as in filters, but unset attributes are as in the API. */
export function templateSubjectOf(namespace: string, event: Event): Attributes {
  return { ...subjectOf(namespace, event, eventForFilters(namespace, event)), id: event.id };
}

function eventForFilters(namespace: string, event: Event): Attributes {
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
    // Sensu Go 6.2.4 does not store whether a check flapped before. So each flapping event counts as the start of
    // flapping, and none as the end.
    is_flapping_start: action === 'flapping' && check.history.length > 2,
    is_flapping_end: false,
  };
}

/** Whether a check is OK now and was not OK before. As in Sensu Go, this also holds while the check is flapping. */
export function endsProblem({ status, history }: Event['check']): boolean {
  return status === 0 && history.length > 2 && history.at(-2) !== '0';
}

/**
 * Whether a check has metrics: it has the attribute `metrics`, the type `metric`, or an `output_metric_format`.
 */
export function hasMetrics(check: Attributes): boolean {
  const format = check['output_metric_format'];
  return check['type'] === 'metric' || isAttributes(check['metrics']) || (typeof format === 'string' && format !== '');
}

/** Copies the attributes of metadata to the top level, as Sensu Go does. */
export function withPromotedNames(part: { readonly metadata: object }): Attributes {
  return { ...(part.metadata as Attributes), ...part };
}

/** Converts the UUID of an event to its sixteen bytes, because filters in Sensu Go see bytes. */
function bytesOf(id: string): readonly number[] {
  return Array.from(id.replaceAll('-', '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
