import { createHash } from 'node:crypto';
import { nextDueMs, nextRunDelayMs } from '../../../shared/domain/schedule.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions, NamedCheck } from '../config/definitions.ts';
import type { Clock } from '../ports.ts';

interface PublisherParts {
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly log: Log;
  /** Asks the agents to run a check. */
  readonly publish: (check: NamedCheck) => Promise<void>;
}

interface Running {
  readonly interval: number;
  readonly timer: Disposable;
}

/**
 * Asks the agents to run the checks of their subscriptions, each check at its own place in its interval. After a reload
 * checks with the same interval go on in step, and every request is made of the newest definition.
 */
export function publishCheckRequests(parts: PublisherParts): Disposable {
  const { definitions, clock } = parts;
  const running = new Map<string, Running>();

  function follow(): void {
    const intervals = new Map([...definitions.checks()].flatMap(intervalOf));
    for (const [name, { interval, timer }] of running) {
      if (intervals.get(name) === interval) continue;
      timer[Symbol.dispose]();
      running.delete(name);
    }
    for (const [name, interval] of intervals) {
      if (running.has(name)) continue;
      const run = (): void => publish(parts, name);
      running.set(name, { interval, timer: repeat(clock, name, interval * 1000, run) });
    }
  }

  follow();
  const following = definitions.onChange(follow);
  return {
    [Symbol.dispose]: () => {
      following[Symbol.dispose]();
      for (const { timer } of running.values()) timer[Symbol.dispose]();
    },
  };
}

/** The name and interval of a check that the backend asks for. */
function intervalOf({ name, interval, standalone, publish: isPublished }: NamedCheck): [string, number][] {
  return interval === undefined || standalone === true || isPublished === false ? [] : [[name, interval]];
}

function repeat(clock: Clock, name: string, intervalMs: number, run: () => void): Disposable {
  const startMs = clock.now();
  let dueMs = startMs + nextRunDelayMs(splayKey(name), intervalMs, startMs);
  let timer = clock.after(dueMs - startMs, tick);
  function tick(): void {
    dueMs = nextDueMs(dueMs, intervalMs, clock.now());
    timer = clock.after(dueMs - clock.now(), tick);
    run();
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

function splayKey(name: string): bigint {
  return createHash('md5').update(name).digest().readBigUInt64LE();
}

function publish({ definitions, log, publish: send }: PublisherParts, name: string): void {
  const check = definitions.check(name);
  if (check === undefined) return;
  // The next run asks again.
  send(check).catch((error: unknown) =>
    log.error({ check: name, reason: errorMessage(error) }, 'a check was not asked for'),
  );
}
