import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { REPOSITORY } from './repository.ts';

const runFile = promisify(execFile);

/** Debian packages that a small server has, in addition to the essential ones. */
const INCLUDED = ['systemd', 'systemd-sysv', 'dbus', 'logrotate', 'man-db', 'procps', 'bash-completion', 'zsh', 'fish'];
const BOOT_MS = 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** A Debian system in a container, with its own systemd and without a network. It needs root. */
export interface DebianContainer extends AsyncDisposable {
  /** Root directory of the container in the file system of the host. */
  readonly root: string;
  /**
   * Runs a line of bash in the container as root.
   *
   * @returns the trimmed text of standard output and standard error
   * @throws Error that contains this text if the line fails
   */
  run(line: string): Promise<string>;
}

/**
 * Starts a container from the image `build/debian-root.tar`, or from the one that `SOAK_DEBIAN_ROOT` names. If the
 * image is missing, mmdebstrap creates it from the network.
 */
export async function openDebianContainer(): Promise<DebianContainer> {
  const root = await mkdtemp(join(tmpdir(), 'mon-debian-'));
  await runFile('tar', ['-C', root, '-xpf', await debianRoot(), '--exclude=./dev/*']);
  const machine = spawn(
    'systemd-nspawn',
    ['--register=no', '--keep-unit', '--private-network', '--boot', '--directory', root, '--console=pipe'],
    { stdio: 'ignore', env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' } },
  );
  const ended = once(machine, 'exit');
  const run = async (line: string): Promise<string> => await runIn(await leaderOf(machine), line);
  await vi.waitFor(async () => await run('systemctl is-system-running --wait'), { timeout: BOOT_MS, interval: 500 });
  return {
    root,
    run,
    async [Symbol.asyncDispose]() {
      const leader = await leaderOf(machine).catch(() => undefined);
      if (leader !== undefined) process.kill(Number(leader), 'SIGKILL');
      await ended;
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function debianRoot(): Promise<string> {
  const given = process.env['SOAK_DEBIAN_ROOT'];
  if (given !== undefined) return given;
  const tar = join(REPOSITORY, 'build/debian-root.tar');
  if (await stat(tar).catch(() => undefined)) return tar;
  await mkdir(join(REPOSITORY, 'build'), { recursive: true });
  await runFile('mmdebstrap', ['--variant=minbase', `--include=${INCLUDED.join(',')}`, 'bookworm', tar], {
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return tar;
}

/** Returns the id of the container's first process: the child of the process that created the container. */
async function leaderOf({ pid = 0, exitCode }: ChildProcess): Promise<string> {
  if (exitCode !== null) throw new Error(`the container ended with ${String(exitCode)}`);
  const children = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  const [leader] = children.trim().split(' ');
  if (leader === undefined || leader === '') throw new Error('the container has not begun');
  return leader;
}

async function runIn(leader: string, line: string): Promise<string> {
  const environment = [
    'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME=/root',
    'DEBIAN_FRONTEND=noninteractive',
    'LANG=C.UTF-8',
  ];
  const args = ['-t', leader, '-m', '-u', '-i', '-n', '-p', '-C', '--', 'env', '-i', ...environment];
  try {
    const { stdout } = await runFile('nsenter', [...args, 'bash', '-c', `exec 2>&1; ${line}`], {
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    return stdout.trim();
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`${line}\n${stdout}`, { cause: error });
  }
}
