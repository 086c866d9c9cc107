import type { CheckDefinition } from '../schemas/check.ts';
import type { Client } from '../schemas/client.ts';
import { matchConditions, parseConditions, type Moment } from './attribute-conditions.ts';
import { v2EntityOf } from './v2/entity.ts';
import { entityInFilter } from './v2/event-shape.ts';
import { withPromotedNames } from './v2/event-subject.ts';
import { entityConditions, judgeExpressions } from './v2/expressions.ts';

/** Whether a client gets a proxy request. */
export type ClientCondition = (namespace: string, client: Client, moment: Moment) => boolean;

/**
 * Returns the condition for proxy clients of a check with `proxy_requests`. Clients must match its attributes
 * (reference 2.2.3), or for v2 checks all expressions must be true. Compute it once per definition.
 */
export function clientConditionOf({ proxy_requests: proxy }: CheckDefinition): ClientCondition {
  const expressions = proxy?.['entity_attributes'];
  if (Array.isArray(expressions)) return entityCondition(expressions.filter((item) => typeof item === 'string'));
  const conditions = parseConditions(proxy?.client_attributes ?? {});
  if (conditions.kind === 'problems') return matchesNoClient;
  return (_namespace, client, moment) => matchConditions(conditions, client, moment).matches;
}

/** The condition for unreadable definitions, which matches no client. The author was warned about it. */
const matchesNoClient: ClientCondition = () => false;

function entityCondition(sources: readonly string[]): ClientCondition {
  const conditions = entityConditions(sources);
  if ('problem' in conditions) return matchesNoClient;
  return (namespace, client, moment) => {
    const subject = { entity: withPromotedNames(entityInFilter({ ...v2EntityOf(namespace, client) })) };
    const { objection, defects } = judgeExpressions(conditions, subject, moment);
    // An expression that fails for an entity sends it no request.
    return objection === undefined && defects.length === 0;
  };
}
