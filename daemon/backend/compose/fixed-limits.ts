import {
  CLIENT_QUARANTINE_SECONDS,
  FOLLOWER_LAG_SECONDS,
  SILENCES_MAX,
  TRANSITIONS_PER_CHECK,
} from '../../../shared/schemas/fixed-limits.ts';

/** Limits that no setting changes. Tests use lower limits, so that they can reach them. */
export interface FixedLimits {
  /** Maximum number of silences in a namespace. */
  readonly silences: number;
  readonly quarantineSeconds: number;
  readonly transitionsPerCheck: number;
  readonly followerLagSeconds: number;
}

export const FIXED_LIMITS: FixedLimits = {
  silences: SILENCES_MAX,
  quarantineSeconds: CLIENT_QUARANTINE_SECONDS,
  transitionsPerCheck: TRANSITIONS_PER_CHECK,
  followerLagSeconds: FOLLOWER_LAG_SECONDS,
};
