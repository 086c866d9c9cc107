import type { EntityUsage } from '../schemas/entity-usage.ts';

/**
 * Share of the limit from which on the v2 API warns: a base, and an increase per thousand entities of the limit
 * (completion 1.17).
 */
const WARNING_PART = 0.9;
const WARNING_PART_PER_THOUSAND = 0.03;

/** Share of the limit from which on mon itself warns; it is lower than that of the v2 API, so that there is time. */
const NEAR_PART = 0.8;

/**
 * Error message for a new entity above the limit: the setting to change, then the message of Sensu Go without a license
 * (completion 1.17).
 */
export const ENTITY_LIMIT_REFUSAL =
  'entity-limit is reached: raise it in the configuration of the backend, no license is needed. The message of Sensu Go: ' +
  'This functionality requires a valid license with a sufficient entity limit. To get a valid license file, arrange a ' +
  'trial, or increase your entity limit, contact Sales.';

/** Whether the entity limit is reached, so that no further entity is accepted. */
export function isBeyondLimit({ total, limit }: EntityUsage): boolean {
  return limit !== 'unlimited' && total >= limit;
}

/** Whether the number of entities is so close to the limit that people should be warned. */
export function isNearLimit({ total, limit }: EntityUsage): boolean {
  return limit !== 'unlimited' && total >= NEAR_PART * limit;
}

/**
 * Returns the warning of the v2 API about a limit that is nearly reached (completion 1.17).
 *
 * @returns undefined if the number of entities is not close to the limit
 */
export function entityWarning({ total, proxies, limit }: EntityUsage): string | undefined {
  if (limit === 'unlimited' || total < warningThreshold(limit)) return undefined;
  const of = `/${String(limit)}`;
  return (
    `You are currently using ${String(total)}${of} total entities, ${String(total - proxies)}${of} agent entities, ` +
    `and ${String(proxies)}${of} proxy entities`
  );
}

/**
 * Returns the number of entities from which on the v2 API warns. The formula exceeds limits above 3333, so the limit
 * itself is the maximum.
 */
function warningThreshold(limit: number): number {
  return limit * Math.min(1, WARNING_PART + (WARNING_PART_PER_THOUSAND * limit) / 1000);
}
