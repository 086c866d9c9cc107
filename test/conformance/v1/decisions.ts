import { AGGREGATE_DECISIONS } from './aggregate-decisions.ts';
import type { LineDecision } from './decision.ts';
import { HTTP_DECISIONS } from './http-decisions.ts';
import { REGISTRY_DECISIONS } from './registry-decisions.ts';
import { SILENCE_DECISIONS } from './silence-decisions.ts';
import { TTL_DECISIONS } from './ttl-decisions.ts';

/**
 * All differences from the recorded peer, with their reasons and the correct responses: the decisions and DEFECT rows
 * of the completion page.
 */
export const DECISIONS: readonly LineDecision[] = [
  ...AGGREGATE_DECISIONS,
  ...HTTP_DECISIONS,
  ...REGISTRY_DECISIONS,
  ...SILENCE_DECISIONS,
  ...TTL_DECISIONS,
];
