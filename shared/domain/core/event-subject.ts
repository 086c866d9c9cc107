import type { Event } from '../../schemas/event.ts';
import type { Attributes } from '../attributes.ts';
import { redactEvent } from '../redact.ts';
import { coreHandledEvent } from './handled-event.ts';

/**
 * An event as filters of the newer API ask about it, `event.check.status` or `event.entity.labels`: as that API shows it,
 * without the secrets, with what is in metadata in both places where the peer has it, and with the questions that are
 * answered there by name.
 */
export function eventSubjectOf(namespace: string, event: Event): Attributes {
  const { check, action, silenced } = event;
  const shown = coreHandledEvent(namespace, redactEvent(event));
  return {
    ...shown,
    entity: withMetadata(shown.entity),
    check: withMetadata(shown.check),
    has_check: true,
    has_metrics: hasMetrics(check),
    is_incident: check.status !== 0,
    is_resolution: action === 'resolve',
    is_silenced: silenced,
  };
}

/** Whether it brings metrics: a check whose results are, or whose output is told to hold them. */
export function hasMetrics(check: Attributes): boolean {
  const format = check['output_metric_format'];
  return check['type'] === 'metric' || (typeof format === 'string' && format !== '');
}

function withMetadata(part: { readonly metadata: object }): Attributes {
  const { name, namespace, labels, annotations } = part.metadata as Attributes;
  return { ...part, name, namespace, labels: labels ?? {}, annotations: annotations ?? {} };
}
