import type { Attributes } from '../../shared/domain/attributes.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { CommandWatchdog } from '../command/command-watchdog.ts';
import type { Log } from '../log/log.ts';
import { executeCheck } from './execute-check.ts';
import { EXTENSION_NAMES } from './extensions/find-extension.ts';
import type { Clock, DeliverResult, StartCheck } from './ports.ts';
import { prepareCheck, type PreparedCheck } from './prepare-check.ts';

/** Checks that run at once; others wait (completion 1.12). */
export const RUNNING_DEFAULT = 12;

/** Checks that may wait for their turn. Beyond it the machine is not keeping up, and more would only be later. */
const WAITING_MAX = 1000;

interface CheckRunnerDeps {
  /** Attributes of this client, for tokens and standard input. */
  readonly client: Attributes;
  /** The client as an entity of version 2, for the tokens of its checks. */
  readonly entity: Attributes;
  /** `NAME=value` for all commands; default: none. */
  readonly environment?: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: DeliverResult;
  /** Checks that may run at once; default: `RUNNING_DEFAULT`. */
  readonly runningMax?: number | undefined;
}

export interface CheckRunner {
  readonly start: StartCheck;
  /** Answers a request that safe mode forbids (completion 1.10). */
  readonly refuse: (check: CheckRequest) => void;
  /** Starts nothing more, lets what runs finish for `graceMs`, then kills it without a result. */
  stop(graceMs: number): Promise<void>;
}

interface WaitingCheck {
  readonly request: CheckRequest;
  readonly prepared: PreparedCheck;
}

/** Runs checks; the same check of the same source never twice at once. */
export function openCheckRunner({
  client,
  entity,
  environment = [],
  clock,
  log,
  deliver,
  runningMax = RUNNING_DEFAULT,
}: CheckRunnerDeps): CheckRunner {
  const underWay = new Set<string>();
  const waiting: WaitingCheck[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const watchdog = new CommandWatchdog();
  let closed = false;

  async function run({ request: { name, source }, prepared }: WaitingCheck): Promise<void> {
    const result = await executeCheck(prepared, { client, environment, clock, watchdog, signal: stopping.signal });
    if (result === undefined) {
      log.warn({ check: name }, 'check was stopped with the agent and has no result');
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

  function obstacle(check: CheckRequest): string | undefined {
    if (closed) return 'the agent is stopping';
    if (underWay.has(runKey(check))) return 'previous check command execution in progress';
    if (waiting.length >= WAITING_MAX) return 'too many checks are waiting to run';
    return undefined;
  }

  return {
    start(request) {
      const about = { check: request.name, source: request.source };
      const reason = obstacle(request);
      if (reason !== undefined) {
        log.warn(about, reason);
        return;
      }
      const prepared = prepareCheck(request, { client, entity });
      if (prepared === undefined) {
        log.warn({ ...about, extension: request['extension'], available: EXTENSION_NAMES }, 'unknown check extension');
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

/** Nobody is alerted for it: the backend's operator has to see it, but the client is well. */
function safeModeResult({ entity_tokens: _mark, ...check }: CheckRequest, executed: number): SubmittedResult {
  const output = 'Check is not locally defined (safe mode)';
  return { ...check, executed, duration: 0, output, status: 3, handle: false };
}

/** One name under two sources is two checks; a slash is in neither. */
function runKey({ source = '', name }: CheckRequest): string {
  return `${source}/${name}`;
}
