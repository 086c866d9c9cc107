import type { SilencePolicy } from '../schemas/silence-policy.ts';
import { formatDuration } from './duration.ts';
import { compileGlob } from './glob.ts';
import { EXPIRE_NEVER } from '../schemas/lifetime.ts';

/** What of a silence the policy looks at. */
export interface PolicedSilence {
  readonly reason?: string | null | undefined;
  /** Seconds; -1 and absent: for ever. */
  readonly expire?: number | null | undefined;
}

/**
 * What in a silence is against the policy of the backend, to be read behind the name of the silence.
 *
 * @returns undefined when it keeps to it
 */
export function policyProblem(policy: SilencePolicy, silence: PolicedSilence): string | undefined {
  return reasonProblem(policy, silence) ?? lifetimeProblem(policy, silence);
}

/** What is wrong with its reason alone. */
export function reasonProblem(policy: SilencePolicy, silence: PolicedSilence): string | undefined {
  const reason = (silence.reason ?? '').trim();
  if (reason === '') return policy.reason === 'required' ? 'a reason is required' : undefined;
  const { reason_pattern: pattern } = policy;
  if (pattern === null || matchesReason(pattern, reason)) return undefined;
  return isGlob(pattern) ? `the reason must look like ${pattern}` : `the reason must contain: ${pattern}`;
}

/** What is wrong with how long it lasts alone. */
export function lifetimeProblem({ max_expire: maxExpire }: SilencePolicy, silence: PolicedSilence): string | undefined {
  const expire = silence.expire ?? EXPIRE_NEVER;
  if (maxExpire === null || (expire !== EXPIRE_NEVER && expire <= maxExpire)) return undefined;
  return `it must end within ${formatDuration(maxExpire)}`;
}

/** Letter case does not count: people write `chg-1` for `CHG-1`. */
function matchesReason(pattern: string, reason: string): boolean {
  const [wanted, text] = [pattern.toLowerCase(), reason.toLowerCase()];
  if (isGlob(pattern)) return compileGlob(wanted)(text);
  return wanted.split(/\s+/).every((word) => text.includes(word));
}

function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}
