import { NO_CORRECTIONS, offsetOf, withCorrection, type Corrections } from './corrections.ts';
import type { BootTime } from './machine-clock.ts';

/** The latest known time, stored so that the next start continues from it. */
export interface TimeAnchor {
  /** Epoch milliseconds on the steady scale. */
  readonly steadyMs: number;
  /** The wall clock at that moment. */
  readonly wallMs: number;
  readonly boot: BootTime | null;
  readonly corrections: Corrections;
}

/** The clocks of the machine at a start. */
interface MachineReading {
  readonly wallMs: number;
  readonly boot: BootTime | undefined;
}

/** The minimum offset of a wall clock that was set; a smaller offset is drift, which is followed slowly. */
export const JUMP_MS = 1000;

/**
 * Returns the time at which a start continues. If the system was not rebooted, its uptime tells how much time has
 * passed, whatever the wall clock does. After a reboot that is unknown: a wall clock that is ahead is trusted, and one
 * that is behind means that no time has passed. A wall clock that was already off is either still off or has been
 * corrected; the assumption with less elapsed time is used.
 *
 * @returns the anchor of this moment, with one more correction if the wall clock was set in between
 */
export function resumeTime(anchor: TimeAnchor | undefined, { wallMs, boot }: MachineReading): TimeAnchor {
  if (anchor === undefined) return { steadyMs: wallMs, wallMs, boot: boot ?? null, corrections: NO_CORRECTIONS };
  const { corrections } = anchor;
  const offsetMs = offsetOf(corrections);
  const steadyMs = timeWithoutBoot(anchor, boot) ?? anchor.steadyMs + timeByWall(anchor, wallMs);
  const errorMs = wallMs - (steadyMs + offsetMs);
  const isSet = Math.abs(errorMs) > JUMP_MS;
  return {
    steadyMs,
    wallMs,
    boot: boot ?? null,
    corrections: isSet ? withCorrection(corrections, Math.round(errorMs / 1000)) : corrections,
  };
}

/** @returns undefined if the system was rebooted, or its uptime is unknown */
function timeWithoutBoot({ steadyMs, boot: before }: TimeAnchor, boot: BootTime | undefined): number | undefined {
  if (before === null || boot === undefined || before.id === '' || before.id !== boot.id) return undefined;
  return boot.ms < before.ms ? undefined : steadyMs + boot.ms - before.ms;
}

function timeByWall({ steadyMs, wallMs: beforeMs, corrections }: TimeAnchor, wallMs: number): number {
  const passed = [wallMs - beforeMs, wallMs - offsetOf(corrections) - steadyMs].filter((ms) => ms >= 0);
  return passed.length === 0 ? 0 : Math.min(...passed);
}
