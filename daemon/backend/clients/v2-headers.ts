import { entityWarning } from '../../../shared/domain/entity-limit.ts';
import type { EntityUsage } from '../../../shared/schemas/entity-usage.ts';

/** Returns the headers about the entity limit, for responses about entities and events (completion 1.17). */
export function entityHeaders(usage: EntityUsage): Readonly<Record<string, string>> {
  const warning = entityWarning(usage);
  return {
    'Sensu-Entity-Count': String(usage.total),
    'Sensu-Entity-Limit': String(usage.limit),
    ...(warning === undefined ? {} : { 'Sensu-Entity-Warning': warning }),
  };
}
