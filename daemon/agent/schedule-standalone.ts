import { createHash } from 'node:crypto';
import { nextDueMs, nextRunDelayMs } from '../../shared/domain/schedule.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import type { Clock, StartCheck } from './ports.ts';
import { withLocalDefinition } from './run-check.ts';

/** A timer holds at most 2^31-1 ms, and a clock that is set goes unnoticed for as long as one waits. */
const WAIT_MAX_MS = 3_600_000;

interface StandaloneDeps {
  /** Name of this client. */
  readonly client: string;
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly clock: Clock;
  readonly start: StartCheck;
}

/**
 * Starts the checks that this machine schedules itself: `standalone` and not `publish: false` (reference 2.2), every
 * `interval` seconds, at a place in the interval that stays the same across restarts (completion 1.13).
 */
export function scheduleStandalone({ client, checks, clock, start }: StandaloneDeps): Disposable {
  const timers = new Map<string, Disposable>();

  function schedule(name: string, check: CheckDefinition, intervalMs: number, dueMs: number): void {
    const waitMs = Math.max(0, dueMs - clock.now());
    const wake = (): void => {
      const nowMs = clock.now();
      if (nowMs < dueMs && waitMs > WAIT_MAX_MS) {
        schedule(name, check, intervalMs, dueMs);
        return;
      }
      schedule(name, check, intervalMs, nextDueMs(dueMs, intervalMs, nowMs));
      start(withLocalDefinition({ name, issued: Math.floor(nowMs / 1000) }, check));
    };
    timers.set(name, clock.after(Math.min(waitMs, WAIT_MAX_MS), wake));
  }

  for (const [name, check] of checks) {
    if (check.standalone !== true || check.publish === false || check.interval === undefined) continue;
    const intervalMs = check.interval * 1000;
    const nowMs = clock.now();
    schedule(name, check, intervalMs, nowMs + nextRunDelayMs(splayKey(client, name), intervalMs, nowMs));
  }
  return {
    [Symbol.dispose]: () => {
      for (const timer of timers.values()) timer[Symbol.dispose]();
    },
  };
}

function splayKey(client: string, check: string): bigint {
  return createHash('md5').update(`${client}:${check}`).digest().readBigUInt64LE(0);
}
