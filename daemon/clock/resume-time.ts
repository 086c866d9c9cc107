import { NO_CORRECTIONS, totalCorrectionMs, withCorrection, type Corrections } from './corrections.ts';
import type { BootTime } from './machine-clock.ts';

/** The clock readings of a running program, stored so that its next start continues from this time. */
export interface TimeAnchor {
  /** The program's own time without corrections, in epoch milliseconds. */
  readonly steadyMs: number;
  /** The wall clock of the host at that moment, in epoch milliseconds. */
  readonly wallMs: number;
  readonly boot: BootTime | null;
  readonly corrections: Corrections;
}

/** The clock readings of the host when the program starts. */
interface MachineReading {
  readonly wallMs: number;
  readonly boot: BootTime | undefined;
}

/**
 * Offset in milliseconds above which the wall clock counts as set. A smaller offset is drift, which is followed slowly.
 */
export const JUMP_MS = 1000;

/**
 * Computes the time from which a starting program continues. If the host was not rebooted, its uptime shows how much
 * time has passed. After a reboot, only the wall clock can show that. If it is behind the stored time, no time is
 * assumed to have passed. If it already differed from the program's own time before, it can still be off or can have
 * been corrected meanwhile. Of these two elapsed times, the shorter one is used.
 *
 * @returns the clock readings of this moment, with one more correction if the wall clock was set in between
 */
export function resumeTime(anchor: TimeAnchor | undefined, { wallMs, boot }: MachineReading): TimeAnchor {
  if (anchor === undefined) return { steadyMs: wallMs, wallMs, boot: boot ?? null, corrections: NO_CORRECTIONS };
  const { corrections } = anchor;
  const offsetMs = totalCorrectionMs(corrections);
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

/** @returns the new time without corrections; undefined if the host was rebooted or its uptime is unknown */
function timeWithoutBoot({ steadyMs, boot: before }: TimeAnchor, boot: BootTime | undefined): number | undefined {
  if (before === null || boot === undefined || before.id === '' || before.id !== boot.id) return undefined;
  return boot.ms < before.ms ? undefined : steadyMs + boot.ms - before.ms;
}

function timeByWall({ steadyMs, wallMs: beforeMs, corrections }: TimeAnchor, wallMs: number): number {
  const passed = [wallMs - beforeMs, wallMs - totalCorrectionMs(corrections) - steadyMs].filter((ms) => ms >= 0);
  return passed.length === 0 ? 0 : Math.min(...passed);
}
