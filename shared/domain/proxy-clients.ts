import type { CheckDefinition } from '../schemas/check.ts';
import type { Client } from '../schemas/client.ts';
import { matchConditions, parseConditions, type Moment } from './attribute-conditions.ts';
import { v2EntityOf } from './v2/entity.ts';
import { entityInFilter } from './v2/event-shape.ts';
import { withPromotedNames } from './v2/event-subject.ts';
import { entityConditions, judgeExpressions } from './v2/expressions.ts';

/** Whether a proxy request is made for a client of a namespace. */
export type ClientCondition = (namespace: string, client: Client, moment: Moment) => boolean;

/**
 * For whom a check with `proxy_requests` is asked: the clients whose attributes match (reference 2.2.3), or, for a check of
 * version 2, the entities for which all expressions hold. To be made once for each definition.
 */
export function clientConditionOf({ proxy_requests: proxy }: CheckDefinition): ClientCondition {
  const expressions = proxy?.['entity_attributes'];
  if (Array.isArray(expressions)) return entityCondition(expressions.filter((item) => typeof item === 'string'));
  const conditions = parseConditions(proxy?.client_attributes ?? {});
  if (conditions.kind === 'problems') return forNobody;
  return (_namespace, client, moment) => matchConditions(conditions, client, moment).matches;
}

/** Of what cannot be read, which whoever wrote it was warned of. */
const forNobody: ClientCondition = () => false;

function entityCondition(sources: readonly string[]): ClientCondition {
  const conditions = entityConditions(sources);
  if ('problem' in conditions) return forNobody;
  return (namespace, client, moment) => {
    const subject = { entity: withPromotedNames(entityInFilter({ ...v2EntityOf(namespace, client) })) };
    const { objection, defects } = judgeExpressions(conditions, subject, moment);
    // What has no answer for an entity asks nothing of it.
    return objection === undefined && defects.length === 0;
  };
}
