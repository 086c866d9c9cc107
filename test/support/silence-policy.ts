import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';

/** Returns a backend's default policy for silences, with overrides. */
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
