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

interface ServiceManagerDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: { every(periodMs: number, task: () => void): Disposable };
  readonly log: Log;
}

/**
 * A shell script that passes each line of its input to systemd, by the program `systemd-notify`. Node.js cannot send
 * the AF_UNIX datagrams that systemd expects. In a backend with gigabytes of memory, starting a program takes a tenth
 * of a second. So a small shell is started with the daemon, and it starts the program for each line.
 */
const NOTIFIER_SCRIPT = 'while read -r message; do systemd-notify "$message"; done';

/** Number of watchdog messages within one watchdog timeout of systemd, so that one message can be late. */
const SIGNS_PER_WATCH = 3;

const NO_SERVICE_MANAGER: ServiceManager = {
  ready: () => undefined,
  stopping: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/**
 * Opens the connection to the service manager, such as systemd. Call it early, while the process uses little memory. If
 * `NOTIFY_SOCKET` is not set, nothing is sent.
 */
export function openServiceManager({ env, clock, log }: ServiceManagerDependencies): ServiceManager {
  if ((env['NOTIFY_SOCKET'] ?? '') === '') return NO_SERVICE_MANAGER;
  const teller = new NotifySocket(env, log);
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

/**
 * Returns the watchdog timeout of systemd in milliseconds; undefined if there is none, or if it is for another process.
 */
function watchdogMs({
  WATCHDOG_USEC: usec = '',
  WATCHDOG_PID: pid = '',
}: ServiceManagerDependencies['env']): number | undefined {
  if (!/^[1-9]\d*$/.test(usec) || (pid !== '' && pid !== String(process.pid))) return undefined;
  return Number(usec) / 1000;
}

class NotifySocket implements Disposable {
  readonly #env: ServiceManagerDependencies['env'];
  readonly #log: Log;
  #shell: ChildProcess;

  constructor(env: ServiceManagerDependencies['env'], log: Log) {
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
    const shell = spawn('/bin/sh', ['-c', NOTIFIER_SCRIPT], {
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
