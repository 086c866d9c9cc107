import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';

/** Returns the default policy of a backend, with overrides. */
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
