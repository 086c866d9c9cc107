import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { killGroup } from './kill-group.ts';
import { reducedEnvironment } from './reduced-environment.ts';
import { shieldedStdio } from './shielded-stdio.ts';

/**
 * The environment variable with the id of a run, which identifies its processes even after they leave its process
 * group.
 */
export const RUN_ID_VARIABLE = 'MON_RUN_ID';

/**
 * The script of the watchdog, a shell of less than a megabyte that outlives the program. It reads `+ ID GROUP` before a
 * command begins and `- ID` after the command has ended. Its input ends when the program dies, however that happens.
 * Then it kills the process groups of the commands that have not ended, and every process with the id of such a command
 * in its environment.
 *
 * It repeats the search until two passes find no further process. One pass is not enough: a process can fork after the
 * search has listed the processes, and the environment of a process is empty for a moment while it executes a new
 * program.
 */
const WATCHDOG_SCRIPT = `
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

/** One execution of a command, from its start to its end. */
export interface CommandRun {
  /** A UUID, which is the value of `RUN_ID_VARIABLE` in the environment of the command. */
  readonly id: string;
  /** The id of the process group that the command leads. */
  readonly group: number;
}

interface WatchdogOptions {
  /** Opens the standard streams of a watchdog. Default: streams with which the watchdog inherits no other open file. */
  readonly openStdio?: typeof shieldedStdio;
  /**
   * A descriptor that each watchdog keeps open until it exits, so that another process can wait for the exit; undefined
   * if there is no such descriptor.
   */
  readonly lifeline?: number | undefined;
}

/**
 * Maximum number of attempts in a row to start a working watchdog. After that, only the next command starts another
 * one.
 */
const START_ATTEMPTS_MAX = 3;
/** A watchdog that exits within this time counts as a failed attempt. */
const SHORT_LIFE_MS = 1000;

/**
 * Kills all running commands if the program that runs them dies, by whatever signal.
 *
 * A command does not begin before `add` has resolved (see `runUntilCut`). By then the kernel has stored its id and
 * group for the watchdog to read, even if the program dies. If the program dies earlier, the command never begins. If
 * the watchdog itself is killed, a new watchdog receives the ids of all running commands. One gap remains: commands
 * survive if the program is killed in the milliseconds between the death of its watchdog and the start of the new one.
 */
export class CommandWatchdog implements Disposable {
  readonly #options: WatchdogOptions;
  readonly #runs = new Map<string, CommandRun>();
  #process: ChildProcess | undefined;
  /** Number of watchdogs in a row that exited within `SHORT_LIFE_MS`. */
  #shortLives = 0;
  /** The runs that must be killed while this program continues. */
  readonly #runsToKill = new Set<CommandRun>();
  #isKilling = false;
  #isDisposed = false;

  constructor(options: WatchdogOptions = {}) {
    this.#options = options;
  }

  /**
   * Adds a run. Resolves as soon as the watchdog would kill the run if this program died.
   *
   * @throws Error if no watchdog is running and none can be started
   */
  async add(run: CommandRun): Promise<void> {
    this.#runs.set(run.id, run);
    for (let attempt = 0; attempt < START_ATTEMPTS_MAX; attempt++) {
      const { watchdog, isNew } = this.#current();
      const runs = isNew ? [...this.#runs.values()] : [run];
      if (await writeToWatchdog(watchdog, linesOf(runs))) return;
      if (this.#process === watchdog) this.#process = undefined;
    }
    this.#runs.delete(run.id);
    throw new Error('cannot start the watchdog process, which kills commands that a crash leaves running');
  }

  /** Removes a run. Called when its command has ended, because the system can soon reuse the process group id. */
  remove(run: CommandRun): void {
    if (!this.#runsToKill.has(run) && this.#runs.delete(run.id)) this.#process?.stdin?.write(`- ${run.id}\n`);
  }

  /**
   * Kills the process group of the run at once. Processes of the run that left the group are killed within
   * milliseconds.
   */
  kill(run: CommandRun): void {
    killGroup(run.group);
    this.#runsToKill.add(run);
    if (!this.#isKilling) void this.#killDoomed();
  }

  /** Ends the watchdog, which first kills all runs that have not been removed. */
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
      if (run === undefined || this.#isDisposed || this.#shortLives >= START_ATTEMPTS_MAX) return;
      this.add(run).catch(() => undefined);
    });
    return { watchdog, isNew: true };
  }

  /**
   * Kills the runs in `#runsToKill` with an additional watchdog. One watchdog kills all runs of about the same time,
   * because its search reads the environment of every process.
   */
  async #killDoomed(): Promise<void> {
    this.#isKilling = true;
    while (this.#runsToKill.size > 0) {
      const runs = [...this.#runsToKill];
      const watchdog = startWatchdog(this.#options);
      const ended = once(watchdog, 'exit').catch(() => undefined);
      await writeToWatchdog(watchdog, linesOf(runs));
      // Remove the runs from the main watchdog only after the additional watchdog has received them: if this program
      // dies, one of them must kill the runs.
      for (const run of runs) {
        this.#runsToKill.delete(run);
        this.remove(run);
      }
      watchdog.stdin?.end();
      await ended;
    }
    this.#isKilling = false;
  }
}

/**
 * Starts a watchdog. It does not keep this program running, and it has a session of its own, so that signals to the
 * process group of this program do not reach it.
 */
function startWatchdog({ openStdio = shieldedStdio, lifeline }: WatchdogOptions): ChildProcess {
  using opened = openStdio(['pipe', lifeline ?? 'ignore', 'ignore']);
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT], {
    detached: true,
    stdio: opened.stdio,
    env: reducedEnvironment(process.env),
  });
  watchdog.unref();
  (watchdog.stdin as Socket | null)?.unref();
  // Ignore errors here: a watchdog that is not running is detected when a write to it fails.
  watchdog.on('error', () => undefined);
  watchdog.stdin?.on('error', () => undefined);
  return watchdog;
}

function linesOf(runs: readonly CommandRun[]): string {
  return runs.map(({ id, group }) => `+ ${id} ${String(group)}\n`).join('');
}

/**
 * Writes text to the watchdog. Resolves to true as soon as the kernel has stored the text, and to false if the watchdog
 * has exited.
 */
async function writeToWatchdog(watchdog: ChildProcess, text: string): Promise<boolean> {
  if (watchdog.pid === undefined) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  watchdog.stdin?.write(text, (error) => resolve(!(error instanceof Error)));
  return await promise;
}
