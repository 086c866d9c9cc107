import { spawn, type ChildProcess } from 'node:child_process';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../log/log.ts';

/** The program that started this daemon, such as systemd, and expects notifications about its state: sd_notify(3). */
export interface ServiceManager extends Disposable {
  /** Reports that the daemon is ready. */
  ready(status: string): void;
  /** Reports that the daemon is stopping. */
  stopping(): void;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: { every(periodMs: number, task: () => void): Disposable };
  readonly log: Log;
}

/**
 * Node.js cannot send AF_UNIX datagrams, which the manager expects. To start a program takes a tenth of a second in a
 * backend with gigabytes of memory. So a shell of a megabyte is started with the daemon, and it starts the program for
 * each line.
 */
const TELLER = 'while read -r message; do systemd-notify "$message"; done';

/** The number of watchdog messages per watchdog timeout, so that one may be late. */
const SIGNS_PER_WATCH = 3;

const NO_SERVICE_MANAGER: ServiceManager = {
  ready: () => undefined,
  stopping: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/**
 * Opens the connection to the service manager while the process is still small. Without `NOTIFY_SOCKET` it does
 * nothing.
 */
export function openServiceManager({ env, clock, log }: Surroundings): ServiceManager {
  if ((env['NOTIFY_SOCKET'] ?? '') === '') return NO_SERVICE_MANAGER;
  const teller = new Teller(env, log);
  const watchMs = watchdogMs(env);
  const signs =
    watchMs === undefined ? undefined : clock.every(watchMs / SIGNS_PER_WATCH, () => teller.send('WATCHDOG=1'));
  return {
    ready(status) {
      teller.send(`STATUS=${status}`);
      teller.send('READY=1');
    },
    stopping: () => teller.send('STOPPING=1'),
    [Symbol.dispose]() {
      signs?.[Symbol.dispose]();
      teller[Symbol.dispose]();
    },
  };
}

/** Returns the watchdog timeout of the manager; undefined: there is none, or it applies to another process. */
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
  send(message: string): void {
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
        'could not notify the service manager (systemd) of the daemon state',
      );
    shell.on('error', failed);
    shell.stdin.on('error', failed);
    // The shell does not keep the daemon alive after its work is done.
    shell.unref();
    return shell;
  }
}
