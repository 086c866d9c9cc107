import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';

/** The policy of a backend that says nothing about it, but for what a test cares about. */
export function silencePolicy(about: Partial<SilencePolicy> = {}): SilencePolicy {
  return {
    reason: 'required',
    reason_pattern: null,
    max_expire: null,
    warn_matches: 50,
    apply_to_v1: false,
    ...about,
  };
}
