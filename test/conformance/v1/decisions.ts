import { AGGREGATE_DECISIONS } from './aggregate-decisions.ts';
import type { LineDecision } from './decision.ts';
import { HTTP_DECISIONS } from './http-decisions.ts';
import { REGISTRY_DECISIONS } from './registry-decisions.ts';
import { SILENCE_DECISIONS } from './silence-decisions.ts';
import { TTL_DECISIONS } from './ttl-decisions.ts';

/**
 * All intended differences from the recorded Sensu Core, each with its reason and the correct response. They are the
 * decisions and the DEFECT rows of the completion page.
 */
export const DECISIONS: readonly LineDecision[] = [
  ...AGGREGATE_DECISIONS,
  ...HTTP_DECISIONS,
  ...REGISTRY_DECISIONS,
  ...SILENCE_DECISIONS,
  ...TTL_DECISIONS,
];
