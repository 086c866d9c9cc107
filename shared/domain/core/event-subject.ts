import type { Event } from '../../schemas/event.ts';
import type { Attributes } from '../attributes.ts';
import { redactEvent } from '../redact.ts';
import { coreEntityOf } from './entity.ts';

/**
 * An event as filters of the newer API ask about it, `event.check.status` or `event.entity.labels`: without the secrets,
 * with what is in metadata in both places where the peer has it, and with the questions that are answered there by
 * name.
 */
export function eventSubjectOf(namespace: string, whole: Event): Attributes {
  const event = redactEvent(whole);
  const { client, check, action, silenced, silenced_by: silencedBy, timestamp } = event;
  const entity = coreEntityOf(namespace, client);
  const isResolution = action === 'resolve';
  const { metadata } = check as { readonly metadata?: Attributes };
  const checkMetadata = { labels: {}, annotations: {}, ...metadata, name: check.name, namespace };
  return {
    id: event.id,
    timestamp,
    metadata: { namespace },
    entity: { ...entity, ...flat(entity.metadata) },
    check: {
      ...check,
      metadata: checkMetadata,
      ...flat(checkMetadata),
      state: action === 'flapping' ? 'flapping' : check.status === 0 ? 'passing' : 'failing',
      history: check.history.map((status) => ({ status: Number(status) })),
      occurrences: event.occurrences,
      occurrences_watermark: event.occurrences_watermark,
      last_ok: event.last_ok,
      is_silenced: silenced,
      silenced: silencedBy,
    },
    has_check: true,
    has_metrics: hasMetrics(check),
    is_incident: check.status !== 0,
    is_resolution: isResolution,
    is_silenced: silenced,
  };
}

/** Whether it brings metrics: a check whose results are, or whose output is told to hold them. */
export function hasMetrics(check: Attributes): boolean {
  const format = check['output_metric_format'];
  return check['type'] === 'metric' || (typeof format === 'string' && format !== '');
}

function flat({ name, namespace, labels, annotations }: Attributes): Attributes {
  return { name, namespace, labels: labels ?? {}, annotations: annotations ?? {} };
}
