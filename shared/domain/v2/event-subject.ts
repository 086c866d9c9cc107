import type { Event } from '../../schemas/event.ts';
import { isAttributes, type Attributes } from '../attributes.ts';
import { redactEvent } from '../redact.ts';
import { v2HandledEvent } from './handled-event.ts';

/**
 * An event as filters of version 2 ask about it, `event.check.status` or `event.entity.labels`: as that API shows it,
 * without the secrets, with what is in metadata in both places where the peer has it, and with the questions that are
 * answered there by name.
 */
export function eventSubjectOf(namespace: string, event: Event): Attributes {
  const { check, action, silenced } = event;
  const shown = v2HandledEvent(namespace, redactEvent(event));
  return {
    ...shown,
    id: bytesOf(shown.id),
    namespace,
    entity: withPromotedNames(shown.entity),
    check: withPromotedNames(shown.check),
    has_check: true,
    has_metrics: hasMetrics(check),
    is_incident: check.status !== 0,
    is_resolution: action === 'resolve',
    is_silenced: silenced,
  };
}

/** Whether it brings metrics: some of its own, a check whose results are, or whose output is told to hold them. */
export function hasMetrics(check: Attributes): boolean {
  const format = check['output_metric_format'];
  return check['type'] === 'metric' || isAttributes(check['metrics']) || (typeof format === 'string' && format !== '');
}

/** What is in metadata stands beside it as well, where the peer has it. */
export function withPromotedNames(part: { readonly metadata: object }): Attributes {
  return { ...(part.metadata as Attributes), ...part };
}

/** An id is no text there: sixteen numbers. */
function bytesOf(id: string): readonly number[] {
  return Array.from(id.replaceAll('-', '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
