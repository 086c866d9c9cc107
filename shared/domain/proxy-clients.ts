import type { CheckDefinition } from '../schemas/check.ts';
import type { Client } from '../schemas/client.ts';
import { matchConditions, parseConditions, type EvaluationTime } from './attribute-conditions.ts';
import { v2EntityOf } from './v2/entity.ts';
import { entityInFilter } from './v2/event-shape.ts';
import { withPromotedNames } from './v2/event-subject.ts';
import { entityConditions, evaluateExpressions } from './v2/expressions.ts';

/** A condition that decides whether a check is run for a client by a proxy check request. */
export type ClientCondition = (namespace: string, client: Client, moment: EvaluationTime) => boolean;

/**
 * Compiles the condition in the `proxy_requests` of a check, once when the check is loaded. A client must match its
 * `client_attributes` (reference 2.2.3). For a v2 check, all expressions in `entity_attributes` must be true instead.
 */
export function clientConditionOf({ proxy_requests: proxy }: CheckDefinition): ClientCondition {
  const expressions = proxy?.['entity_attributes'];
  if (Array.isArray(expressions)) return entityCondition(expressions.filter((item) => typeof item === 'string'));
  const conditions = parseConditions(proxy?.client_attributes ?? {});
  if (conditions.kind === 'problems') return matchesNoClient;
  return (_namespace, client, moment) => matchConditions(conditions, client, moment).matches;
}

/**
 * The condition of a check whose `proxy_requests` are invalid: it matches no client. A warning was given when the check
 * was loaded.
 */
const matchesNoClient: ClientCondition = () => false;

function entityCondition(sources: readonly string[]): ClientCondition {
  const conditions = entityConditions(sources);
  if ('problem' in conditions) return matchesNoClient;
  return (namespace, client, moment) => {
    const subject = { entity: withPromotedNames(entityInFilter({ ...v2EntityOf(namespace, client) })) };
    const { objection, defects } = evaluateExpressions(conditions, subject, moment);
    // An expression that cannot be evaluated for an entity counts as false.
    return objection === undefined && defects.length === 0;
  };
}
