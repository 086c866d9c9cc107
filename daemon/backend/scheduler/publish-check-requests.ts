import { createHash } from 'node:crypto';
import { nextDueMs, nextRunDelayMs } from '../../../shared/domain/schedule.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { Definitions, NamedCheck } from '../config/definitions.ts';
import type { Clock } from '../ports.ts';

interface PublisherParts {
  readonly definitions: Definitions;
  readonly clock: Clock;
  /** Sends a request to the agents of a subscription. */
  readonly publish: (subscription: string, check: CheckRequest) => void;
}

/** Asks the agents to run the checks of their subscriptions, each check at its own place in its interval. */
export function publishCheckRequests(parts: PublisherParts): Disposable {
  const stack = new DisposableStack();
  for (const check of parts.definitions.checks()) {
    const { interval } = check;
    if (interval === undefined || check.standalone === true || check.publish === false) continue;
    stack.use(repeat(parts.clock, check.name, interval * 1000, () => publish(parts, check)));
  }
  return stack;
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

function publish({ clock, publish: send }: PublisherParts, check: NamedCheck): void {
  const request = checkRequest(check, Math.floor(clock.now() / 1000));
  for (const subscription of check.subscribers ?? []) send(subscription, request);
}

/** The definition without what only the scheduler needs (legacy-peer, Request). */
function checkRequest(check: NamedCheck, issued: number): CheckRequest {
  const request: Record<string, unknown> = { ...check, issued };
  delete request['subscribers'];
  delete request['interval'];
  return request as unknown as CheckRequest;
}
