import { EXPIRE_NEVER } from '../../../shared/domain/expiry.ts';
import { policyProblem, type PolicedSilence } from '../../../shared/domain/silence-policy.ts';
import { MonError } from '../../../shared/errors.ts';
import type { BulkOperation } from '../../../shared/schemas/bulk.ts';
import type { SilencePolicy, SilencePolicySettings } from '../../../shared/schemas/silence-policy.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';

interface PolicyParts {
  readonly config: Pick<ConfigInForce, 'program'>;
}

/** The policy in force. */
export function silencePolicy({ config }: PolicyParts): SilencePolicy {
  const settings: SilencePolicySettings = config.program['silence-policy'];
  return {
    reason: settings.reason,
    reason_pattern: settings['reason-pattern'] ?? null,
    max_expire: settings['max-expire'] ?? null,
    warn_matches: settings['warn-matches'],
    apply_to_legacy: settings['apply-to-legacy'],
  };
}

/**
 * Holds `POST /silenced` to the policy where the settings ask for that.
 *
 * @throws MonError `invalid`
 */
export function refuseV1AgainstPolicy(parts: PolicyParts, silence: PolicedSilence): void {
  const policy = silencePolicy(parts);
  const problem = policy.apply_to_legacy ? policyProblem(policy, silence) : undefined;
  if (problem !== undefined) throw new MonError('invalid', problem);
}

/**
 * Holds an entry of the newer API to the policy: its clients know of a longest duration, and of the rest no more than those
 * of the legacy API do.
 *
 * @throws MonError `threshold` for one that lasts too long, `invalid`
 */
export function refuseV2AgainstPolicy(parts: PolicyParts, entry: SilencedEntry): void {
  const policy = silencePolicy(parts);
  const { reason, begin, timestamp, expire_at: endMs } = entry;
  const startMs = Math.max(timestamp, begin ?? 0) * 1000;
  const silence = { reason, expire: endMs === null ? EXPIRE_NEVER : Math.floor((endMs - startMs) / 1000) };
  const tooLong = policyProblem({ ...policy, reason: 'optional', reason_pattern: null }, silence);
  if (tooLong !== undefined) throw new MonError('threshold', tooLong);
  refuseV1AgainstPolicy(parts, silence);
}

/**
 * Holds the silences of a bulk to the policy. Entries that are restored are held to it only where everything is:
 * otherwise what scripts made could be cleared by mistake and not be brought back.
 *
 * @throws MonError `invalid` naming the operation
 */
export function refuseAgainstPolicy(parts: PolicyParts, operations: readonly BulkOperation[], nowMs: number): void {
  const policy = silencePolicy(parts);
  for (const [index, operation] of operations.entries()) {
    const silence = policed(operation, policy, nowMs);
    const problem = silence === undefined ? undefined : policyProblem(policy, silence);
    if (problem !== undefined) throw new MonError('invalid', `operations.${String(index)}: ${problem}`);
  }
}

function policed(operation: BulkOperation, policy: SilencePolicy, nowMs: number): PolicedSilence | undefined {
  if (operation.op === 'silence') return operation;
  if (operation.op !== 'restore' || !policy.apply_to_legacy) return undefined;
  const { reason, begin, expire_at: endMs } = operation.entry;
  // As for a new one, the lifetime counts from its begin when that lies ahead.
  const startMs = Math.max(nowMs, (begin ?? 0) * 1000);
  return { reason, expire: endMs === null ? EXPIRE_NEVER : Math.max(0, Math.ceil((endMs - startMs) / 1000)) };
}
