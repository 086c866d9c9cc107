import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import headless from '@xterm/headless';
import { spawn, type IPty } from '@lydell/node-pty';

const ROOT = join(import.meta.dirname, '..', '..');
const EVENTS = 100_000;
const CHANGES_PER_SECOND = 5000;
const COLUMNS = 120;
const ROWS = 36;
const STARTS = 7;

/**
 * The built console in a pseudo-terminal: start to first frame, and from a key to its frame on the screen while a storm
 * changes every row in view.
 */
export async function run(seconds: number): Promise<void> {
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    await using screen = new ConsoleScreen('http://127.0.0.1:9');
    await screen.until((text) => text.includes('connecting to'));
    starts.push(screen.ageMs);
  }
  // The first one fills the caches of the file system.
  report('start to first frame, p50', percentile(starts.slice(1), 0.5), 'ms', 'goal under 200');

  const storm = spawnProcess(
    process.execPath,
    [join(import.meta.dirname, 'feed-storm.ts'), String(EVENTS), String(CHANGES_PER_SECOND)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [port] = (await once(storm.stdout, 'data')) as [Buffer];
    await using screen = new ConsoleScreen(`http://127.0.0.1:${port.toString().trim()}`);
    await screen.until((text) => text.includes('LIVE'), 30_000);
    report(`start to live with ${String(EVENTS)} events`, screen.ageMs, 'ms', 'goal 700');
    await sleep(2000);
    const cpuBefore = screen.cpuMs;
    const startedAt = performance.now();
    await sleep(5000);
    report(
      'CPU in the storm, no keys',
      ((screen.cpuMs - cpuBefore) / (performance.now() - startedAt)) * 100,
      '%',
      'goal 15',
    );
    const delays = await keyDelays(screen, seconds * 1000);
    report(
      `key to frame p50 / p99 / slowest of ${String(delays.length)}`,
      percentile(delays, 0.5),
      `/ ${percentile(delays, 0.99).toFixed(1)} / ${Math.max(...delays).toFixed(1)} ms`,
      `goal p99 under 30, at ${String(CHANGES_PER_SECOND)} changes/s and ${String(COLUMNS)}x${String(ROWS)}`,
    );
    report('memory of the console', screen.memoryMiB, 'MiB', 'goal 350');
  } finally {
    storm.kill();
  }
}

/** The cursor goes down and up again; each key is there when the row under the cursor is the expected one. */
async function keyDelays(screen: ConsoleScreen, durationMs: number): Promise<number[]> {
  const delays: number[] = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    // From the top each time: between the pauses of the order the cursor moves along with its event.
    screen.write('g');
    await screen.until((text) => /row 1\//.test(text));
    for (let row = 2; row <= 12; row++) {
      await sleep(20 + Math.random() * 60);
      const pressedAt = performance.now();
      screen.write('j');
      await screen.until((text) => text.includes(`row ${String(row)}/`));
      delays.push(performance.now() - pressedAt);
    }
  }
  return delays;
}

/** The console and what its terminal shows. */
class ConsoleScreen implements AsyncDisposable {
  readonly #startedAt = performance.now();
  readonly #terminal = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  readonly #pty: IPty;
  #onDrawn: (() => void) | undefined;

  constructor(backend: string) {
    const { PATH, HOME } = process.env;
    this.#pty = spawn(process.execPath, [join(ROOT, 'dist', 'mon.js')], {
      name: 'xterm-256color',
      cols: COLUMNS,
      rows: ROWS,
      env: { PATH, HOME, USER: 'bench', MON_BACKEND: backend },
      encoding: null,
    });
    this.#pty.onData((bytes) => this.#terminal.write(bytes, () => this.#onDrawn?.()));
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** User and system time so far, from the tenth field after the name on (proc(5)); the kernel counts in 10 ms. */
  get cpuMs(): number {
    const fields =
      readFileSync(`/proc/${String(this.#pty.pid)}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  get memoryMiB(): number {
    const status = readFileSync(`/proc/${String(this.#pty.pid)}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  write(keys: string): void {
    this.#pty.write(keys);
  }

  /** Resolves with the first drawing that holds. */
  async until(holds: (text: string) => boolean, timeoutMs = 10_000): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`not in time; the screen is:\n${this.#text()}`)), timeoutMs);
    this.#onDrawn = () => {
      if (holds(this.#text())) resolve();
    };
    this.#onDrawn();
    await promise;
    clearTimeout(timer);
    this.#onDrawn = undefined;
  }

  #text(): string {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: ROWS }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    ).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pty.onExit(() => resolve());
    this.#pty.kill('SIGKILL');
    await promise;
    this.#terminal.dispose();
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function report(name: string, value: number, unit: string, note: string): void {
  console.log(`${name.padEnd(52)} ${value.toFixed(1).padStart(10)} ${unit}   (${note})`);
}
