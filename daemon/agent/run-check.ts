import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../log/log.ts';
import type { Clock, DeliverResult, StartCheck } from './ports.ts';
import { runCommand, type CommandOutcome } from './run-command.ts';

/** Commands that run at once; others wait (completion 1.12). */
const RUNNING_MAX = 12;

/** Checks that may wait for their turn. Beyond it the machine is not keeping up, and more would only be later. */
const WAITING_MAX = 1000;

interface CheckRunnerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: DeliverResult;
}

export interface CheckRunner {
  readonly start: StartCheck;
  /** Answers a request that safe mode forbids (completion 1.10). */
  readonly refuse: (check: CheckRequest) => void;
  /** Starts nothing more, lets what runs finish for `graceMs`, then kills it without a result. */
  stop(graceMs: number): Promise<void>;
}

/** Runs checks as child processes; the same check of the same source never twice at once. */
export function openCheckRunner({ clock, log, deliver }: CheckRunnerDeps): CheckRunner {
  const underWay = new Set<string>();
  const waiting: CheckRequest[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let closed = false;

  async function run(check: CheckRequest, command: string): Promise<void> {
    const executed = Math.floor(clock.now() / 1000);
    const startedMs = clock.monotonic();
    const outcome = await runCommand(command, {
      clock,
      timeoutMs: check.timeout === undefined ? undefined : check.timeout * 1000,
      signal: stopping.signal,
    });
    if (outcome.kind === 'stopped') {
      log.warn({ check: check.name }, 'check stopped with the agent, it leaves no result');
      return;
    }
    const { status, output } = statusAndOutput(outcome);
    const duration = Math.round(clock.monotonic() - startedMs) / 1000;
    log.debug({ check: check.name, source: check.source, status, duration }, 'check finished');
    await report({ ...check, executed, duration, output, status });
  }

  async function report(result: SubmittedResult): Promise<void> {
    try {
      await deliver(result);
    } catch (error) {
      log.error({ check: result.name, reason: errorMessage(error) }, 'check result lost, it could not be spooled');
    }
  }

  function startWaiting(): void {
    while (running.size < RUNNING_MAX) {
      const check = closed ? undefined : waiting.shift();
      if (check?.command === undefined) return;
      const done = run(check, check.command).finally(() => {
        underWay.delete(runKey(check));
        running.delete(done);
        startWaiting();
      });
      running.add(done);
    }
  }

  function obstacle(check: CheckRequest): string | undefined {
    if (closed) return 'the agent is stopping';
    if (check.command === undefined) return 'check has no command, extensions are not supported';
    if (underWay.has(runKey(check))) return 'previous check command execution in progress';
    if (waiting.length >= WAITING_MAX) return 'too many checks are waiting to run';
    return undefined;
  }

  return {
    start(check) {
      const reason = obstacle(check);
      if (reason !== undefined) {
        log.warn({ check: check.name, source: check.source }, reason);
        return;
      }
      underWay.add(runKey(check));
      waiting.push(check);
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
    },
  };
}

/** A check request merged with the definition of the same name on this machine, which wins (legacy-peer, sensu-client). */
export function withLocalDefinition(request: CheckRequest, local: CheckDefinition | undefined): CheckRequest {
  return local === undefined ? request : { ...request, ...known(local), name: request.name, issued: request.issued };
}

/** Nobody is alerted for it: the backend's operator has to see it, but the client is well. */
function safeModeResult(check: CheckRequest, executed: number): SubmittedResult {
  const output = 'Check is not locally defined (safe mode)';
  return { ...check, executed, duration: 0, output, status: 3, handle: false };
}

function statusAndOutput(outcome: Exclude<CommandOutcome, { kind: 'stopped' }>): { status: number; output: string } {
  if (outcome.kind === 'exited') return outcome;
  return outcome.kind === 'timed_out'
    ? { status: 2, output: 'Execution timed out' }
    : { status: 3, output: `Unexpected error: ${outcome.reason}` };
}

/** One name under two sources is two checks; a slash is in neither. */
function runKey({ source = '', name }: CheckRequest): string {
  return `${source}/${name}`;
}

/** Without attributes that are there but undefined, which would hide those of the request. */
function known(definition: CheckDefinition): Partial<CheckRequest> {
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined));
}
