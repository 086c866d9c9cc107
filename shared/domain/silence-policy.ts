import type { SilencePolicy } from '../schemas/silence-policy.ts';
import { formatDuration } from './duration.ts';
import { compileGlob } from './glob.ts';
import { EXPIRE_NEVER } from '../schemas/lifetime.ts';

/** The attributes of a silence that the silence policy (required reason, maximum duration) restricts. */
export interface PolicedSilence {
  readonly reason?: string | null | undefined;
  /** Duration in seconds; -1, null or undefined if it is unlimited. */
  readonly expire?: number | null | undefined;
}

/**
 * Returns how a silence violates the silence policy of the backend, such as `a reason is required`.
 *
 * @returns undefined if the silence complies
 */
export function policyProblem(policy: SilencePolicy, silence: PolicedSilence): string | undefined {
  return reasonProblem(policy, silence) ?? lifetimeProblem(policy, silence);
}

/** Returns how the reason of a silence violates the policy; undefined if it complies. */
export function reasonProblem(policy: SilencePolicy, silence: PolicedSilence): string | undefined {
  const reason = (silence.reason ?? '').trim();
  if (reason === '') return policy.reason === 'required' ? 'a reason is required' : undefined;
  const { reason_pattern: pattern } = policy;
  if (pattern === null || matchesReason(pattern, reason)) return undefined;
  return isGlob(pattern) ? `the reason must look like ${pattern}` : `the reason must contain: ${pattern}`;
}

/** Returns how the duration of a silence violates the policy; undefined if it complies. */
export function lifetimeProblem({ max_expire: maxExpire }: SilencePolicy, silence: PolicedSilence): string | undefined {
  const expire = silence.expire ?? EXPIRE_NEVER;
  if (maxExpire === null || (expire !== EXPIRE_NEVER && expire <= maxExpire)) return undefined;
  return `it must end within ${formatDuration(maxExpire)}`;
}

/**
 * Whether the reason of a silence matches the required pattern. If the pattern has no `*` or `?`, the reason must
 * contain all its words. Case is ignored, because people write `chg-1` for `CHG-1`.
 */
function matchesReason(pattern: string, reason: string): boolean {
  const [lowerCasePattern, text] = [pattern.toLowerCase(), reason.toLowerCase()];
  if (isGlob(pattern)) return compileGlob(lowerCasePattern)(text);
  return lowerCasePattern.split(/\s+/).every((word) => text.includes(word));
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}
