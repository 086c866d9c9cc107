import { spawn, type ChildProcess } from 'node:child_process';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../log/log.ts';

/** What started this daemon, systemd for one, and waits to be told how it is: sd_notify(3). */
export interface ServiceManager extends Disposable {
  /** The daemon does its work from now on. */
  ready(status: string): void;
  /** The daemon puts its work away. */
  stopping(): void;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: { every(periodMs: number, task: () => void): Disposable };
  readonly log: Log;
}

/**
 * Node.js has no datagrams of AF_UNIX, in which the manager is told, and to start a program takes a backend with
 * gigabytes of memory a tenth of a second. So a shell of a megabyte is started with the daemon, and starts the program
 * for each line.
 */
const TELLER = 'while read -r message; do systemd-notify "$message"; done';

/** Signs of life until a watchdog loses its patience: one may be late. */
const SIGNS_PER_WATCH = 3;

const NOBODY: ServiceManager = {
  ready: () => undefined,
  stopping: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/** To be opened while the process is small. Where nobody asks to be told (`NOTIFY_SOCKET`), nobody is. */
export function openServiceManager({ env, clock, log }: Surroundings): ServiceManager {
  if ((env['NOTIFY_SOCKET'] ?? '') === '') return NOBODY;
  const teller = new Teller(env, log);
  const watchMs = watchdogMs(env);
  const signs =
    watchMs === undefined ? undefined : clock.every(watchMs / SIGNS_PER_WATCH, () => teller.tell('WATCHDOG=1'));
  return {
    ready(status) {
      teller.tell(`STATUS=${status}`);
      teller.tell('READY=1');
    },
    stopping: () => teller.tell('STOPPING=1'),
    [Symbol.dispose]() {
      signs?.[Symbol.dispose]();
      teller[Symbol.dispose]();
    },
  };
}

/** How long the manager goes without a sign of life; undefined: for ever, or it watches another process. */
function watchdogMs({ WATCHDOG_USEC: usec = '', WATCHDOG_PID: pid = '' }: Surroundings['env']): number | undefined {
  if (!/^[1-9]\d*$/.test(usec) || (pid !== '' && pid !== String(process.pid))) return undefined;
  return Number(usec) / 1000;
}

class Teller implements Disposable {
  readonly #env: Surroundings['env'];
  readonly #log: Log;
  #shell: ChildProcess;

  constructor(env: Surroundings['env'], log: Log) {
    this.#env = env;
    this.#log = log;
    this.#shell = this.#start();
  }

  /** @param message one line */
  tell(message: string): void {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) this.#shell = this.#start();
    this.#shell.stdin?.write(`${message}\n`);
  }

  [Symbol.dispose](): void {
    this.#shell.stdin?.end();
  }

  #start(): ChildProcess {
    const { PATH, NOTIFY_SOCKET } = this.#env;
    const shell = spawn('/bin/sh', ['-c', TELLER], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { PATH, NOTIFY_SOCKET },
    });
    const failed = (error: unknown): void =>
      this.#log.warn(
        { reason: errorMessage(error) },
        'service manager could not be notified of the state of the daemon',
      );
    shell.on('error', failed);
    shell.stdin.on('error', failed);
    // The daemon ends when it has done its work, whoever still listens.
    shell.unref();
    return shell;
  }
}
