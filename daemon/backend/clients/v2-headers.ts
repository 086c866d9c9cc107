import { entityWarning } from '../../../shared/domain/entity-limit.ts';
import type { EntityUsage } from '../../../shared/schemas/entity-usage.ts';

/** Returns the response headers about the entity limit, which the entity and event routes send (completion 1.17). */
export function entityHeaders(usage: EntityUsage): Readonly<Record<string, string>> {
  const warning = entityWarning(usage);
  return {
    'Sensu-Entity-Count': String(usage.total),
    'Sensu-Entity-Limit': String(usage.limit),
    ...(warning === undefined ? {} : { 'Sensu-Entity-Warning': warning }),
  };
}
