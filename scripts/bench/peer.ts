import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../lib/free-port.ts';
import { startBackend } from './backend-process.ts';
import type { BenchServer } from './http-line.ts';

const BUILD_DIRECTORY = fileURLToPath(new URL('../../build/', import.meta.url));
const START_MS_MAX = 20_000;
const OUTPUT_TEXT = 'DISK CRITICAL - free space: / 332 MiB (5% inode=88%); '.repeat(8);

/** A failing check on a client. */
export interface Problem {
  readonly client: string;
  readonly check: string;
}

/** The HTTP interface of a monitoring system for problems and silences. */
export interface PeerApi {
  readonly problemsPath: string;
  /** True if one request can contain only one problem. */
  readonly isSingle?: boolean;
  problems(problems: readonly Problem[]): unknown;
  readonly problemList: string;
  readonly silencesPath: string;
  /** Returns the request body that creates a silence that matches no problem. */
  silence(at: number): unknown;
  readonly silenceList: string;
}

export interface BenchPeer {
  readonly name: string;
  /** Description of the data that is on disk when the system responds. */
  readonly durability: string;
  readonly wire: PeerApi;
  start(): Promise<BenchServer & AsyncDisposable>;
}

const v1Problem = ({ client, check }: Problem): object => ({
  source: client,
  name: check,
  status: 2,
  output: OUTPUT_TEXT,
  handlers: [],
});

const v1Api: PeerApi = {
  problemsPath: '/results',
  isSingle: true,
  problems: ([problem]) => problem && v1Problem(problem),
  problemList: '/events',
  silencesPath: '/silenced',
  silence: (at) => ({ subscription: `client:absent-${String(at)}`, reason: 'bench' }),
  silenceList: '/silenced',
};

const monApi: PeerApi = {
  ...v1Api,
  problemsPath: '/api/mon/v1/results',
  isSingle: false,
  problems: (problems) => problems.map(v1Problem),
};

const alertmanagerApi: PeerApi = {
  problemsPath: '/api/v2/alerts',
  problems: (problems) =>
    problems.map(({ client, check }) => ({
      labels: { alertname: check, instance: client, severity: 'critical' },
      annotations: { output: OUTPUT_TEXT },
    })),
  problemList: '/api/v2/alerts',
  silencesPath: '/api/v2/silences',
  silence: (at) => ({
    matchers: [{ name: 'instance', value: `absent-${String(at)}`, isRegex: false, isEqual: true }],
    startsAt: new Date().toISOString(),
    endsAt: new Date(Date.now() + 3_600_000).toISOString(),
    createdBy: 'bench',
    comment: 'bench',
  }),
  silenceList: '/api/v2/silences',
};

const v2Api: PeerApi = {
  problemsPath: '/api/core/v2/namespaces/default/events',
  isSingle: true,
  problems: ([problem]) =>
    problem && {
      entity: { entity_class: 'proxy', metadata: { name: problem.client, namespace: 'default' } },
      check: { metadata: { name: problem.check, namespace: 'default' }, status: 2, output: OUTPUT_TEXT, interval: 60 },
    },
  problemList: '/api/core/v2/namespaces/default/events',
  silencesPath: '/api/core/v2/namespaces/default/silenced',
  silence: (at) => ({
    metadata: { name: `entity:absent-${String(at)}:*`, namespace: 'default' },
    subscription: `entity:absent-${String(at)}`,
  }),
  silenceList: '/api/core/v2/namespaces/default/silenced',
};

export const MON_PEER: BenchPeer = { name: 'mon', durability: 'fsync', wire: monApi, start: () => startBackend() };

/** The HTTP interfaces that the flag `--peer` can name for a server that already runs. */
const APIS_BY_KIND: Readonly<Record<string, PeerApi>> = { alertmanager: alertmanagerApi, v1: v1Api, v2: v2Api };

/**
 * Returns a peer that already runs.
 *
 * @param text `KIND=URL`: the kind of its HTTP interface, and its address
 * @throws Error with the valid kinds
 */
export function parsePeer(text: string): BenchPeer {
  const [, kind = '', url = ''] = /^(\w+)=(https?:\/\/.+)$/.exec(text) ?? [];
  const wire = APIS_BY_KIND[kind];
  if (wire === undefined) {
    throw new Error(`--peer ${text}: must be KIND=URL, with KIND one of ${Object.keys(APIS_BY_KIND).join(', ')}`);
  }
  const running = { url, [Symbol.asyncDispose]: async () => undefined };
  return { name: `${kind} at ${url}`, durability: 'as it is set up', wire, start: async () => running };
}

/** Returns the Alertmanager that is installed on this machine; `undefined` if it is not on the PATH. */
export function installedAlertmanager(): BenchPeer | undefined {
  const program = ['prometheus-alertmanager', 'alertmanager'].map(findOnPath).find((file) => file !== undefined);
  if (program === undefined) return undefined;
  return { name: 'Alertmanager', durability: 'memory', wire: alertmanagerApi, start: () => startAlertmanager(program) };
}

function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Starts an Alertmanager whose receiver sends no notifications. */
async function startAlertmanager(program: string): Promise<BenchServer & { pid: number } & AsyncDisposable> {
  const dir = await mkdtemp(`${BUILD_DIRECTORY}bench-alertmanager-`);
  const config = join(dir, 'alertmanager.yml');
  await writeFile(config, 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n');
  const address = `127.0.0.1:${String(await freePort())}`;
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.path=${dir}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const url = `http://${address}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    await rm(dir, { recursive: true });
  };
  if (!(await waitUntilReady(`${url}/-/ready`))) {
    await stop();
    throw new Error(`${program} does not answer at ${url}`);
  }
  return { url, pid: child.pid ?? 0, [Symbol.asyncDispose]: stop };
}

async function waitUntilReady(url: string): Promise<boolean> {
  for (const end = Date.now() + START_MS_MAX; Date.now() < end; await sleep(100)) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return true;
  }
  return false;
}
