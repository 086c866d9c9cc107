import { NO_CORRECTIONS, offsetOf, withCorrection, type Corrections } from './corrections.ts';
import type { BootTime } from './machine-clock.ts';

/** The newest time that was seen, kept so that the next start goes on from there. */
export interface TimeAnchor {
  /** Of the steady scale, epoch milliseconds. */
  readonly steadyMs: number;
  /** What the machine showed at that moment. */
  readonly wallMs: number;
  readonly boot: BootTime | null;
  readonly corrections: Corrections;
}

/** What the machine shows at a start. */
interface MachineReading {
  readonly wallMs: number;
  readonly boot: BootTime | undefined;
}

/** A wall clock that is farther off was set by somebody; what is less is drift, which is followed slowly. */
export const JUMP_MS = 1000;

/**
 * Where time goes on at a start. While the system was not started anew, its own uptime tells how long nobody looked,
 * whatever the wall clock does. After that nobody knows: a wall clock that is ahead is believed, and one that is behind
 * means that no time has passed. One that was off before either still is or was set right, whichever makes less time
 * pass.
 *
 * @returns the anchor of this moment, with one more correction when the wall clock was set in between
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

/** @returns undefined when the system was started anew, or cannot tell */
function timeWithoutBoot({ steadyMs, boot: before }: TimeAnchor, boot: BootTime | undefined): number | undefined {
  if (before === null || boot === undefined || before.id === '' || before.id !== boot.id) return undefined;
  return boot.ms < before.ms ? undefined : steadyMs + boot.ms - before.ms;
}

function timeByWall({ steadyMs, wallMs: beforeMs, corrections }: TimeAnchor, wallMs: number): number {
  const passed = [wallMs - beforeMs, wallMs - offsetOf(corrections) - steadyMs].filter((ms) => ms >= 0);
  return passed.length === 0 ? 0 : Math.min(...passed);
}
