import { endOf } from '../../../shared/domain/expiry.ts';
import { lifetimeProblem, reasonProblem, type PolicedSilence } from '../../../shared/domain/silence-policy.ts';
import type { SilencedRequest } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import type { BulkOperation } from '../../../shared/schemas/bulk.ts';
import type { SilencePolicy, SilencePolicySettings } from '../../../shared/schemas/silence-policy.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { SILENCE_WARN_MATCHES } from '../../../shared/schemas/fixed-limits.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';

/** The source of the policy in force. */
export interface PolicyDeps {
  readonly config: Pick<ConfigInForce, 'program'>;
}

/** Returns the policy in force. */
export function silencePolicy({ config }: PolicyDeps): SilencePolicy {
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
 * Returns the parts of a request that the policy checks. For a recurring silence it limits the duration of each window.
 */
export function policedRequest({ reason, expire, recurrence }: SilencedRequest): PolicedSilence {
  return { reason, expire: recurrence?.duration ?? expire };
}

/**
 * Checks `POST /silenced` against the policy, if the settings say so.
 *
 * @throws MonError as `refuse` does
 */
export function refuseV1AgainstPolicy(parts: PolicyDeps, silence: PolicedSilence): void {
  const policy = silencePolicy(parts);
  if (policy.apply_to_v1) refuse(policy, silence);
}

/** Checks a request of the mon API against the policy. @throws MonError as `refuse` does */
export function refuseOwnAgainstPolicy(parts: PolicyDeps, silence: PolicedSilence): void {
  refuse(silencePolicy(parts), silence);
}

/**
 * Checks a v2 entry against the policy. Only the maximum duration always applies, because its clients know
 * such a limit. The other rules apply as for version 1.
 *
 * @throws MonError `threshold` for one that lasts too long, `invalid`
 */
export function refuseV2AgainstPolicy(parts: PolicyDeps, entry: SilencedEntry): void {
  const { reason, begin, timestamp, expireAtMs: endMs } = entry;
  const startMs = Math.max(timestamp, begin ?? 0) * 1000;
  const silence = { reason, expire: endMs === null ? EXPIRE_NEVER : Math.floor((endMs - startMs) / 1000) };
  const tooLong = lifetimeProblem(silencePolicy(parts), silence);
  if (tooLong !== undefined) throw new MonError('threshold', tooLong);
  refuseV1AgainstPolicy(parts, silence);
}

/**
 * Checks the silences of a bulk request against the policy. Restored entries are checked only if it applies to version
 * 1 as well: otherwise entries of scripts that were cleared by mistake could not be restored.
 *
 * @throws MonError as `refuse` does, naming the operation
 */
export function* refuseAgainstPolicy(
  parts: PolicyDeps,
  operations: readonly BulkOperation[],
  nowMs: number,
): Generator<void, void, undefined> {
  const policy = silencePolicy(parts);
  for (const [index, operation] of operations.entries()) {
    const silence = policed(operation, policy, nowMs);
    yield;
    if (silence !== undefined) refuse(policy, silence, `operations.${String(index)}: `);
  }
}

/**
 * @param prefix prefix of the message
 * @throws MonError `invalid` for its reason, `threshold` for one that lasts too long
 */
function refuse(policy: SilencePolicy, silence: PolicedSilence, prefix = ''): void {
  const ofReason = reasonProblem(policy, silence);
  if (ofReason !== undefined) throw new MonError('invalid', prefix + ofReason);
  const ofLifetime = lifetimeProblem(policy, silence);
  if (ofLifetime !== undefined) throw new MonError('threshold', prefix + ofLifetime);
}

function policed(operation: BulkOperation, policy: SilencePolicy, nowMs: number): PolicedSilence | undefined {
  if (operation.op === 'silence') return policedRequest(operation);
  if (operation.op !== 'restore' || !policy.apply_to_v1) return undefined;
  const { reason, begin, expire_at: end, recurrence } = operation.entry;
  if (recurrence !== undefined) return { reason, expire: recurrence.duration };
  const endMs = endOf(end);
  // As for a new silence, the duration counts from its begin if that is in the future.
  const startMs = Math.max(nowMs, (begin ?? 0) * 1000);
  return { reason, expire: endMs === null ? EXPIRE_NEVER : Math.max(0, Math.ceil((endMs - startMs) / 1000)) };
}
