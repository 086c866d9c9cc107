import { BUILT_IN } from '../../../shared/domain/built-in.ts';
import type { HandlerStatus } from '../../../shared/schemas/dead-letter.ts';
import type { NamespaceDefinitions } from '../config/definitions.ts';
import type { DeadLetters } from '../handlers/dead-letters.ts';
import type { HandlerFigures, JobRunner } from '../handlers/run-jobs.ts';

/**
 * By name: the handlers that are defined, and those without a definition that had something to run or have dead letters.
 * Sets are left out: they never run themselves.
 */
export function handlerStatuses(
  definitions: Pick<NamespaceDefinitions, 'handlers'>,
  runner: Pick<JobRunner, 'figures'>,
  deadLetters: Pick<DeadLetters, 'counts'>,
  nowMs: number,
): HandlerStatus[] {
  const figures = runner.figures();
  const types = new Map<string, string | null>();
  const dead = deadLetters.counts();
  for (const name of [...figures.keys(), ...dead.keys()])
    types.set(name, BUILT_IN.handlers.has(name) ? 'built-in' : null);
  for (const [name, { type }] of definitions.handlers()) if (type !== 'set') types.set(name, type);
  return [...types]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, type]) => statusOf(name, type, figures.get(name), { deadLetters: dead.get(name) ?? 0, nowMs }));
}

function statusOf(
  name: string,
  type: string | null,
  figures: HandlerFigures | undefined,
  { deadLetters, nowMs }: { readonly deadLetters: number; readonly nowMs: number },
): HandlerStatus {
  const { lastFailure, oldestAtMs } = figures ?? {};
  return {
    name,
    type,
    queued: figures?.waiting ?? 0,
    running: figures?.running ?? 0,
    retrying: figures?.retrying ?? 0,
    delivered: figures?.delivered ?? 0,
    failed: figures?.failed ?? 0,
    dead_letters: deadLetters,
    last_error:
      lastFailure === undefined ? null : { at: Math.floor(lastFailure.atMs / 1000), reason: lastFailure.reason },
    oldest_age: oldestAtMs === undefined ? null : (nowMs - oldestAtMs) / 1000,
  };
}
