import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { killGroup } from './kill-group.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/** The environment variable that marks the processes of a run, also those that leave its process group. */
export const RUN_ID_VARIABLE = 'MON_RUN_ID';

/**
 * The watchdog: a shell of less than a megabyte that outlives the program. It reads `+ ID GROUP` when a command is
 * about to begin and `- ID` when it has ended. At the end of its input, which the kernel reports however the program
 * died, it kills the process groups of the runs that are left, then every process with the id of such a run in its
 * environment.
 *
 * It repeats the search until nothing new is found in two passes: a process may fork behind the search, and the
 * environment of a process is empty for a moment while it executes a new program.
 */
const WATCHDOG = `
trap '' HUP INT TERM
runs=' '
while read -r sign id group; do
  case $sign in
    +) runs="$runs$id:$group " ;;
    -) runs="\${runs%%" $id:"*} \${runs#*" $id:"*" "}" ;;
  esac
done
set --
for run in $runs; do
  kill -KILL "-\${run#*:}"
  set -- "$@" -e "${RUN_ID_VARIABLE}=\${run%%:*}"
done
[ $# -gt 0 ] || exit 0
passes=0 killed=' '
while [ $passes -lt 2 ]; do
  passes=$((passes + 1))
  for file in $(grep -lsF "$@" /proc/[0-9]*/environ); do
    pid=\${file#/proc/} pid=\${pid%/environ}
    case $killed in *" $pid "*) continue ;; esac
    kill -KILL "$pid"
    killed="$killed$pid " passes=0
  done
done
`;

/** A command that was started. */
export interface CommandRun {
  /** A UUID: the value of `RUN_ID_VARIABLE` in the environment of the command. */
  readonly id: string;
  /** The process group that the command leads. */
  readonly group: number;
}

interface WatchdogOptions {
  /** Opens the standard streams of a watchdog. Default: it inherits no open file of the program. */
  readonly openStdio?: typeof shieldedStdio;
  /** An open descriptor that each watchdog holds until it has ended, so that its end can be awaited. */
  readonly lifeline?: number | undefined;
}

/** The number of attempts to start a working watchdog. After that, only the next command tries again. */
const ATTEMPTS = 3;
/** A watchdog that ends within this time counts as a failed attempt. */
const SHORT_LIFE_MS = 1000;

/**
 * Ensures that no command outlives the program that runs it, whichever dies first, and by which signal.
 *
 * A command waits at a gate (`runUntilCut`) until `add` has resolved. By then the kernel holds its id and group for the
 * watchdog, and keeps them if the program dies. A program that dies earlier never opens the gate. If the watchdog
 * itself is killed, the next one gets all runs. One gap remains: a program that is killed together with its watchdog,
 * in the milliseconds before the next one has started.
 */
export class CommandWatchdog implements Disposable {
  readonly #options: WatchdogOptions;
  readonly #runs = new Map<string, CommandRun>();
  #process: ChildProcess | undefined;
  /** The number of watchdogs in a row that ended early. */
  #shortLives = 0;
  /** The runs to kill while this program continues. */
  readonly #doomed = new Set<CommandRun>();
  #isKilling = false;
  #isDisposed = false;

  constructor(options: WatchdogOptions = {}) {
    this.#options = options;
  }

  /**
   * Resolves once the run would be killed if this program died.
   *
   * @throws Error if there is no watchdog, and none can be started
   */
  async add(run: CommandRun): Promise<void> {
    this.#runs.set(run.id, run);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { watchdog, isNew } = this.#current();
      const runs = isNew ? [...this.#runs.values()] : [run];
      if (await isWritten(watchdog, linesOf(runs))) return;
      if (this.#process === watchdog) this.#process = undefined;
    }
    this.#runs.delete(run.id);
    throw new Error('cannot start the watchdog process, which kills commands that a crash leaves running');
  }

  /** Removes a run. Called when the command has ended, because its process group id may soon be reused. */
  remove(run: CommandRun): void {
    if (!this.#doomed.has(run) && this.#runs.delete(run.id)) this.#process?.stdin?.write(`- ${run.id}\n`);
  }

  /** Kills the process group of the run at once. Processes that left the group are killed within some milliseconds. */
  kill(run: CommandRun): void {
    killGroup(run.group);
    this.#doomed.add(run);
    if (!this.#isKilling) void this.#killDoomed();
  }

  /** Ends the watchdog, which kills the remaining runs. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#process?.stdin?.end();
  }

  #current(): { readonly watchdog: ChildProcess; readonly isNew: boolean } {
    if (this.#process !== undefined) return { watchdog: this.#process, isNew: false };
    const watchdog = startWatchdog(this.#options);
    const startedMs = performance.now();
    this.#process = watchdog;
    watchdog.on('exit', () => {
      if (this.#process !== watchdog) return;
      this.#process = undefined;
      this.#shortLives = performance.now() - startedMs < SHORT_LIFE_MS ? this.#shortLives + 1 : 0;
      const [run] = this.#runs.values();
      if (run === undefined || this.#isDisposed || this.#shortLives >= ATTEMPTS) return;
      this.add(run).catch(() => undefined);
    });
    return { watchdog, isNew: true };
  }

  /**
   * Uses one watchdog for all runs that are killed at about the same time, because a search reads the environment of
   * all processes.
   */
  async #killDoomed(): Promise<void> {
    this.#isKilling = true;
    while (this.#doomed.size > 0) {
      const runs = [...this.#doomed];
      const watchdog = startWatchdog(this.#options);
      const ended = once(watchdog, 'exit').catch(() => undefined);
      await isWritten(watchdog, linesOf(runs));
      // Not earlier: if this program dies meanwhile, the other watchdog kills them.
      for (const run of runs) {
        this.#doomed.delete(run);
        this.remove(run);
      }
      watchdog.stdin?.end();
      await ended;
    }
    this.#isKilling = false;
  }
}

/** Starts a watchdog that does not keep this program alive, in a session that no signal to the program reaches. */
function startWatchdog({ openStdio = shieldedStdio, lifeline }: WatchdogOptions): ChildProcess {
  using opened = openStdio(['pipe', lifeline ?? 'ignore', 'ignore']);
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG], {
    detached: true,
    stdio: opened.stdio,
    env: reducedEnvironment(process.env),
  });
  watchdog.unref();
  (watchdog.stdin as Socket | null)?.unref();
  // A failed watchdog is detected when it cannot be written to.
  watchdog.on('error', () => undefined);
  watchdog.stdin?.on('error', () => undefined);
  return watchdog;
}

function linesOf(runs: readonly CommandRun[]): string {
  return runs.map(({ id, group }) => `+ ${id} ${String(group)}\n`).join('');
}

/** Resolves to true when the kernel has the text for the watchdog, and to false if the watchdog has ended. */
async function isWritten(watchdog: ChildProcess, text: string): Promise<boolean> {
  if (watchdog.pid === undefined) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  watchdog.stdin?.write(text, (error) => resolve(!(error instanceof Error)));
  return await promise;
}
