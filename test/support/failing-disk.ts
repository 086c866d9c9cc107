import { execFile } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { appendFile, readdir, readFile, stat, truncate } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { builtPrograms } from './built-programs.ts';
import { tempDir } from './temp-dir.ts';

const run = promisify(execFile);
const SOURCE = join(import.meta.dirname, 'failing-disk.c');

/** Kinds of system calls that can fail, with their bits in `failing-disk.c`; `name` means rename, link and unlink. */
const KINDS = { write: 1, sync: 2, open: 4, truncate: 8, name: 16, read: 32 } as const;
export type DiskCall = keyof typeof KINDS;

export interface Fault {
  readonly calls: readonly DiskCall[];
  readonly error: 'EIO' | 'ENOSPC' | 'EMFILE' | 'EROFS';
  /** Number of calls that succeed before the first failure. Default: 0. */
  readonly skip?: number;
  /** Number of calls that fail; -1 means all until `mend`, which is the default. */
  readonly times?: number;
  /** Share of the data, below 1, that a failing write still writes. Default: 0. */
  readonly share?: number;
}

/**
 * Maximum number of simultaneous faults. Each has `FAULT_FIELDS` fields in the control file (`struct fault`), all of
 * them int32 like the counter `failed`.
 */
const FAULTS = 2;
const FAULT_FIELDS = 5;
const INT_BYTES = 4;
/**
 * Size in bytes of a `struct durable`: three int64 for the inode, the durable bytes, and the length of the tail that
 * follows.
 */
const DURABLE_BYTES = 24;

/**
 * The rest of a file after a power failure: its first `bytes` bytes, and a tail that an unsynced truncation had
 * removed.
 */
interface Durable {
  readonly bytes: number;
  readonly tail: Buffer;
}

/** True if this machine can build the library that makes a disk fail: it needs Linux and a C compiler. */
export async function canDisksFail(): Promise<boolean> {
  return (
    process.platform === 'linux' &&
    (await run('cc', ['--version']).then(
      () => true,
      () => false,
    ))
  );
}

/** A directory whose disk fails on request, for processes that are started with `env`. */
export class FailingDisk {
  readonly env: Readonly<Record<string, string>>;
  readonly #dir: string;
  readonly #control: string;
  readonly #durable: string;
  readonly #fd: number;

  private constructor(dir: string, place: string, library: string) {
    this.#dir = dir;
    this.#control = join(place, 'control');
    this.#durable = join(place, 'durable');
    writeFileSync(this.#control, Buffer.alloc(INT_BYTES * (1 + FAULTS * FAULT_FIELDS)));
    writeFileSync(this.#durable, '');
    this.#fd = openSync(this.#control, 'r+');
    onTestFinished(() => closeSync(this.#fd));
    this.env = {
      LD_PRELOAD: library,
      FAULTS_DIR: dir,
      FAULTS_CONTROL: this.#control,
      FAULTS_DURABLE: this.#durable,
    };
  }

  /**
   * Builds the library if necessary, and prepares a directory to fail.
   *
   * @throws Error if this machine is not Linux or has no C compiler
   */
  static async under(dir: string): Promise<FailingDisk> {
    if (!(await canDisksFail())) {
      throw new Error('faults below LevelDB need Linux and a C compiler: install one that can be run as cc');
    }
    return new FailingDisk(dir, await tempDir(), await (library ??= buildLibrary()));
  }

  /** Sets one or two faults, which replace all earlier ones. */
  fail(...faults: readonly [Fault] | readonly [Fault, Fault]): void {
    this.mend();
    faults.forEach(({ calls, error, skip = 0, times = -1, share = 0 }, at) => {
      const mask = calls.reduce((sum, call) => sum + KINDS[call], 0);
      const start = 1 + at * FAULT_FIELDS;
      this.#set(start + 1, constants.errno[error], skip, times, Math.floor(share * 256));
      this.#set(start, mask);
    });
  }

  mend(): void {
    for (let at = 0; at < FAULTS; at++) this.#set(1 + at * FAULT_FIELDS, 0);
  }

  /** Returns the number of calls that have failed so far. */
  async failures(): Promise<number> {
    return (await readFile(this.#control)).readInt32LE(0);
  }

  /**
   * Simulates a power failure; no process may use the disk. Unsynced data is removed, all of it or a random part, and
   * data whose truncation was not synced is restored.
   */
  async cutPower(random: () => number = () => 0): Promise<void> {
    const durable = durableFiles(await readFile(this.#durable));
    for (const name of await readdir(this.#dir)) {
      const path = join(this.#dir, name);
      const { ino, size } = await stat(path);
      const { bytes, tail } = durable.get(ino) ?? { bytes: size, tail: Buffer.alloc(0) };
      if (bytes < size) await truncate(path, bytes + Math.floor(random() * (size - bytes)));
      else if (bytes === size && tail.length > 0) await appendFile(path, tail);
    }
    this.noteDurable();
  }

  /** Marks all current data as durable. It is needed after a process without `env` has written to the directory. */
  noteDurable(): void {
    writeFileSync(this.#durable, '');
  }

  #set(field: number, ...values: readonly number[]): void {
    const bytes = Buffer.from(Int32Array.from(values).buffer);
    writeSync(this.#fd, bytes, 0, bytes.length, INT_BYTES * field);
  }
}

/** Path of the built library. Each test process builds it once, into the program directory of this test run. */
let library: Promise<string> | undefined;

async function buildLibrary(): Promise<string> {
  const path = join(builtPrograms(), `failing-disk-${String(process.pid)}.so`);
  await run('cc', ['-shared', '-fPIC', '-O1', '-o', path, SOURCE, '-ldl', '-lpthread']);
  return path;
}

/** Returns the durable state of each file by inode; the last record of a file counts. */
function durableFiles(journal: Buffer): Map<number, Durable> {
  const files = new Map<number, Durable>();
  for (let at = 0; at + DURABLE_BYTES <= journal.length;) {
    const [inode = 0, bytes = 0, length = 0] = [0, 8, 16].map((field) => Number(journal.readBigInt64LE(at + field)));
    at += DURABLE_BYTES;
    files.set(inode, { bytes, tail: journal.subarray(at, at + length) });
    at += length;
  }
  return files;
}
