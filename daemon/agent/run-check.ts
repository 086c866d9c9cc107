import type { Attributes } from '../../shared/domain/attributes.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { CommandWatchdog } from '../command/command-watchdog.ts';
import type { Log } from '../log/log.ts';
import { executeCheck } from './execute-check.ts';
import { EXTENSION_NAMES } from './extensions/find-extension.ts';
import type { Clock } from '../clock/clock.ts';
import type { DeliverResult, StartCheck } from './ports.ts';
import { prepareCheck, type PreparedCheck } from './prepare-check.ts';

/** Default maximum number of checks that run at once; further checks wait (completion 1.12). */
export const RUNNING_CHECKS_DEFAULT = 12;

/**
 * Maximum number of checks that wait to run. If it is reached, the machine is overloaded, so further checks are skipped
 * instead of run late.
 */
const WAITING_CHECKS_MAX = 1000;

interface CheckRunnerDependencies {
  /** The attributes of this client, for tokens and for the standard input of commands. */
  readonly client: Attributes;
  /** This client as a v2 entity, for the tokens of v2 checks. */
  readonly entity: Attributes;
  /** Environment variables for all commands, as `NAME=value`; default: none. */
  readonly environment?: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: DeliverResult;
  /** Maximum number of checks that run at once; default: `RUNNING_CHECKS_DEFAULT`. */
  readonly runningMax?: number | undefined;
}

export interface CheckRunner {
  readonly start: StartCheck;
  /** Delivers a result with the status 3 for a check request that safe mode forbids (completion 1.10). */
  readonly refuse: (check: CheckRequest) => void;
  /** Starts no more checks, waits at most `graceMs` for the running checks, then kills them without a result. */
  stop(graceMs: number): Promise<void>;
}

interface WaitingCheck {
  readonly request: CheckRequest;
  readonly prepared: PreparedCheck;
}

/**
 * Opens the runner of checks. It ignores a check request while the same check of the same source is waiting or running.
 */
export function openCheckRunner({
  client,
  entity,
  environment = [],
  clock,
  log,
  deliver,
  runningMax = RUNNING_CHECKS_DEFAULT,
}: CheckRunnerDependencies): CheckRunner {
  const underWay = new Set<string>();
  const waiting: WaitingCheck[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const watchdog = new CommandWatchdog();
  let closed = false;

  async function run({ request: { name, source }, prepared }: WaitingCheck): Promise<void> {
    const result = await executeCheck(prepared, { client, environment, clock, watchdog, signal: stopping.signal });
    if (result === undefined) {
      log.warn({ check: name }, 'check aborted without a result because the agent is stopping');
      return;
    }
    log.debug({ check: name, source, status: result.status, duration: result['duration'] }, 'check finished');
    await report(result);
  }

  async function report(result: SubmittedResult): Promise<void> {
    try {
      await deliver(result);
    } catch (error) {
      log.error(
        { check: result.name, reason: errorMessage(error) },
        'check result lost: it could not be written to the spool',
      );
    }
  }

  function startWaiting(): void {
    while (running.size < runningMax) {
      const check = closed ? undefined : waiting.shift();
      if (check === undefined) return;
      const done = run(check).finally(() => {
        underWay.delete(runKey(check.request));
        running.delete(done);
        startWaiting();
      });
      running.add(done);
    }
  }

  function skipReason(check: CheckRequest): string | undefined {
    if (closed) return 'the agent is stopping';
    if (underWay.has(runKey(check))) return 'previous check command execution in progress';
    if (waiting.length >= WAITING_CHECKS_MAX) return 'too many checks are waiting to run';
    return undefined;
  }

  return {
    start(request) {
      const logFields = { check: request.name, source: request.source };
      const reason = skipReason(request);
      if (reason !== undefined) {
        log.warn(logFields, reason);
        return;
      }
      const prepared = prepareCheck(request, { client, entity });
      if (prepared === undefined) {
        log.warn(
          { ...logFields, extension: request['extension'], available: EXTENSION_NAMES },
          'unknown check extension',
        );
        return;
      }
      underWay.add(runKey(request));
      waiting.push({ request, prepared });
      startWaiting();
    },

    refuse(check) {
      void report(safeModeResult(check, Math.floor(clock.now() / 1000)));
    },

    async stop(graceMs) {
      closed = true;
      using timers = new DisposableStack();
      timers.use(clock.after(graceMs, () => stopping.abort()));
      await Promise.all(running);
      watchdog[Symbol.dispose]();
    },
  };
}

/**
 * Returns the result of a check request that safe mode forbids. No handler is notified: operators see the result on the
 * backend, but the client has no problem.
 */
function safeModeResult({ entity_tokens: _mark, ...check }: CheckRequest, executed: number): SubmittedResult {
  const output = 'Check is not locally defined (safe mode)';
  return { ...check, executed, duration: 0, output, status: 3, handle: false };
}

/**
 * Returns the key of a check: its source and its name, neither of which can contain a slash. Checks with the same name
 * but different sources are different checks.
 */
function runKey({ source = '', name }: CheckRequest): string {
  return `${source}/${name}`;
}
