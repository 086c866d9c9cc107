import { parseExpiry } from '../../../shared/domain/expiry.ts';
import { lifetimeProblem, reasonProblem, type PolicedSilence } from '../../../shared/domain/silence-policy.ts';
import type { SilencedRequest } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import type { BulkOperation } from '../../../shared/schemas/bulk.ts';
import type { SilencePolicy, SilencePolicySettings } from '../../../shared/schemas/silence-policy.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { SILENCE_WARN_MATCHES } from '../../../shared/schemas/fixed-limits.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';

/** The configuration; it contains the policy for silences. */
export interface PolicyDependencies {
  readonly config: Pick<ConfigInForce, 'program'>;
}

/** Returns the policy for silences by the current settings. */
export function silencePolicy({ config }: PolicyDependencies): SilencePolicy {
  const settings: SilencePolicySettings = config.program['silence-policy'];
  return {
    reason: settings.reason,
    reason_pattern: settings['reason-pattern'] ?? null,
    max_expire: settings['max-expire'] ?? null,
    warn_matches: SILENCE_WARN_MATCHES,
    apply_to_v1: settings['apply-to-v1'],
  };
}

/**
 * Returns the attributes of a requested silence that the policy limits: its reason and its duration. The duration of a
 * recurring silence is that of one window.
 */
export function policedRequest({ reason, expire, recurrence }: SilencedRequest): PolicedSilence {
  return { reason, expire: recurrence?.duration ?? expire };
}

/**
 * Rejects a silence that violates the policy, if the settings apply the policy to the v1 API.
 *
 * @throws MonError `invalid` for its reason, `threshold` if it lasts too long
 */
export function refuseV1AgainstPolicy(parts: PolicyDependencies, silence: PolicedSilence): void {
  const policy = silencePolicy(parts);
  if (policy.apply_to_v1) refuseViolation(policy, silence);
}

/**
 * Rejects a silence that violates the policy, even if the settings do not apply the policy to the v1 API.
 *
 * @throws MonError `invalid` for its reason, `threshold` if it lasts too long
 */
export function refuseOwnAgainstPolicy(parts: PolicyDependencies, silence: PolicedSilence): void {
  refuseViolation(silencePolicy(parts), silence);
}

/**
 * Rejects a silence of the v2 API that violates the policy. The maximum duration is always enforced, because v2 clients
 * expect such a limit. The rules for the reason are enforced only if the settings apply the policy to the v1 API.
 *
 * @throws MonError `threshold` if it lasts too long, `invalid` for its reason
 */
export function refuseV2AgainstPolicy(parts: PolicyDependencies, entry: SilencedEntry): void {
  const { reason, begin, timestamp, expireAtMs: endMs } = entry;
  const startMs = Math.max(timestamp, begin ?? 0) * 1000;
  const silence = { reason, expire: endMs === null ? EXPIRE_NEVER : Math.floor((endMs - startMs) / 1000) };
  const tooLong = lifetimeProblem(silencePolicy(parts), silence);
  if (tooLong !== undefined) throw new MonError('threshold', tooLong);
  refuseV1AgainstPolicy(parts, silence);
}

/**
 * Rejects a bulk request with a silence that violates the policy. It yields after each operation, so that other work
 * can run. Restored silences are checked only if the settings apply the policy to the v1 API. Otherwise a silence that
 * a script created and that was cleared by mistake could not be restored.
 *
 * @throws MonError `invalid` for a reason, `threshold` if a silence lasts too long; the message names the operation
 */
export function* refuseAgainstPolicy(
  parts: PolicyDependencies,
  operations: readonly BulkOperation[],
  nowMs: number,
): Generator<void, void, undefined> {
  const policy = silencePolicy(parts);
  for (const [index, operation] of operations.entries()) {
    const silence = policedSilenceOf(operation, policy, nowMs);
    yield;
    if (silence !== undefined) refuseViolation(policy, silence, `operations.${String(index)}: `);
  }
}

/**
 * Rejects a silence that violates the policy.
 *
 * @param prefix prefix of the error message
 * @throws MonError `invalid` for its reason, `threshold` if it lasts too long
 */
function refuseViolation(policy: SilencePolicy, silence: PolicedSilence, prefix = ''): void {
  const ofReason = reasonProblem(policy, silence);
  if (ofReason !== undefined) throw new MonError('invalid', prefix + ofReason);
  const ofLifetime = lifetimeProblem(policy, silence);
  if (ofLifetime !== undefined) throw new MonError('threshold', prefix + ofLifetime);
}

function policedSilenceOf(operation: BulkOperation, policy: SilencePolicy, nowMs: number): PolicedSilence | undefined {
  if (operation.op === 'silence') return policedRequest(operation);
  if (operation.op !== 'restore' || !policy.apply_to_v1) return undefined;
  const { reason, begin, expire_at: end, recurrence } = operation.entry;
  if (recurrence !== undefined) return { reason, expire: recurrence.duration };
  const endMs = parseExpiry(end);
  // The duration of a restored silence that is pending is measured from its begin, as for a new silence.
  const startMs = Math.max(nowMs, (begin ?? 0) * 1000);
  return { reason, expire: endMs === null ? EXPIRE_NEVER : Math.max(0, Math.ceil((endMs - startMs) / 1000)) };
}
