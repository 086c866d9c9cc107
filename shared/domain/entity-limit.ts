import type { EntityUsage } from '../schemas/entity-usage.ts';

/** Part of the limit from which on a warning stands, for a limit of none and how it grows (completion 1.17). */
const WARNING_PART = 0.9;
const WARNING_PART_PER_THOUSAND = 0.03;

/** Part of the limit from which on people are told here: early enough to do something about it. */
const NEAR_PART = 0.8;

/** The setting to change, then the peer's sentence for what its free edition refuses (completion 1.17). */
export const ENTITY_LIMIT_REFUSAL =
  'entity-limit is reached: raise it in the configuration of the backend, no license is needed. In the words of the peer: ' +
  'This functionality requires a valid license with a sufficient entity limit. To get a valid license file, arrange a ' +
  'trial, or increase your entity limit, contact Sales.';

/** Whether there is no place for one more. */
export function isBeyondLimit({ total, limit }: EntityUsage): boolean {
  return limit !== 'unlimited' && total >= limit;
}

/** Whether people should hear of it. */
export function isNearLimit({ total, limit }: EntityUsage): boolean {
  return limit !== 'unlimited' && total >= NEAR_PART * limit;
}

/**
 * What version 2 says about a limit that is nearly reached (completion 1.17).
 *
 * @returns undefined while it is far away
 */
export function entityWarning({ total, proxies, limit }: EntityUsage): string | undefined {
  if (limit === 'unlimited' || total < warningFrom(limit)) return undefined;
  const of = `/${String(limit)}`;
  return (
    `You are currently using ${String(total)}${of} total entities, ${String(total - proxies)}${of} agent entities, ` +
    `and ${String(proxies)}${of} proxy entities`
  );
}

/** Beyond a limit of 3333 the formula asks for more than there can be. */
function warningFrom(limit: number): number {
  return limit * Math.min(1, WARNING_PART + (WARNING_PART_PER_THOUSAND * limit) / 1000);
}
