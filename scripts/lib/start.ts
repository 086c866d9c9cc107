// The implementation of ./scripts/start: it starts a backend with its state in ./var, an agent that monitors this
// machine, and the console. Without a terminal it prints the first results instead. At the end it stops all processes
// that it started, by their process ids. With --cluster it starts three backends on one PostgreSQL server. With --demo
// it simulates a site of 2,000 machines, on a store that is new each time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { openUpgradeClient } from '../../shared/client/plan-client.ts';
import { commandText } from '../../shared/domain/command-text.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import type { CommandLine } from '../../shared/schemas/command.ts';
import { demoDefinitions } from '../demo/checks.ts';
import { startDemoSite, type DemoProgress } from '../demo/demo-site.ts';
import { startDaemon, type DaemonProcess } from './daemon-process.ts';
import { MEMBER_COUNT, startCluster, type Backends } from './start-cluster.ts';
import { firstResults, resultLines } from './first-results.ts';
import { isAlive, isPortTaken, readRunning, recordRunning } from './running.ts';

const DEFAULT_PORT = 4567;

/** Maximum time until the backend responds; it first reads its whole store. */
const START_MS = 30_000;

const DEFINITIONS_DIRECTORY = 'examples/conf.d';

/**
 * Directory for the definitions that are generated at each start; they override the definitions in `examples/conf.d`.
 */
const GENERATED_DEFINITIONS = 'var/conf.d';

/** Directory for the files of `--demo`. */
const DEMO_DIRECTORY = 'var/demo';

const START_OPTIONS = ['--cluster', '--demo'] as const;

process.chdir(join(import.meta.dirname, '../..'));
const RECORD_FILE = join('var', 'start.json');
const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;

const stopController = new AbortController();
const stopped = once(stopController.signal, 'abort');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopController.abort());

try {
  process.exitCode = await main();
} catch (error) {
  if (!stopController.signal.aborted) {
    printMessage(errorMessage(error));
    process.exitCode = 1;
  }
} finally {
  // Cancels pending requests.
  stopController.abort();
}

async function main(): Promise<number> {
  const port = portOf(process.env['MON_PORT']);
  const kind = kindOf(process.argv.slice(2));
  const isCluster = kind === '--cluster';
  const ports = Array.from({ length: isCluster ? MEMBER_COUNT : 1 }, (_, at) => port + at);
  const url = ports.map(urlOf).join(',');

  const running = readRunning(RECORD_FILE);
  // A process id may belong to an unrelated process after a restart of the machine, so check the port as well.
  if (running !== undefined && (await isPortTaken(running.port))) {
    if (isAlive(running.pid)) {
      const { url: runningUrl = urlOf(running.port) } = running;
      printMessage(`already running at ${runningUrl} (process ${String(running.pid)})`);
      return hasTerminal ? await runConsole(runningUrl) : 0;
    }
    const leftOver = running.daemons.filter(isAlive);
    if (leftOver.length > 0) {
      throw new Error(
        `an earlier ./scripts/start was killed and left its programs behind. Stop them: kill ${leftOver.join(' ')}`,
      );
    }
  }
  for (const neededPort of ports) {
    if (!(await isPortTaken(neededPort))) continue;
    throw new Error(
      `port ${String(neededPort)} is in use by another program. Stop that one, or choose another port: MON_PORT=${String(port + ports.length)} ./scripts/start`,
    );
  }
  mkdirSync('var/log', { recursive: true, mode: 0o700 });
  await using started = new AsyncDisposableStack();
  if (kind === '--demo') return await serveDemo(port, started);
  const { checks } = await loadConfig({ directories: [DEFINITIONS_DIRECTORY], env: {} });
  writeDefinitions(GENERATED_DEFINITIONS, 'port.json', { checks: checksWithUrl(urlOf(port), checks) });
  const definitions = [DEFINITIONS_DIRECTORY, GENERATED_DEFINITIONS].join(',');
  const backends = isCluster
    ? started.use(await startCluster(ports, definitions, reportWhileConsoleRuns))
    : started.use(await startBackend(port, definitions, 'var/backend'));
  const api = openApiClient({ backend: url, env: {} });
  await Promise.race([waitForBackend(api), rejectWhenEnded(backends)]);
  const agent = started.use(
    await startDaemon(
      'agent',
      'dist/mon-agent.js',
      [
        'start',
        '--backend',
        url,
        '--subscriptions',
        [...new Set([...checks.values()].flatMap(({ subscribers }) => subscribers ?? []))].join(','),
        '--state-dir',
        'var/agent',
        '-d',
        definitions,
      ],
      'var/log/agent.log',
    ),
  );
  started.use(recordRunning(RECORD_FILE, { pid: process.pid, port, url, daemons: [agent.pid, ...backends.pids] }));

  if (hasTerminal) return await runConsole(url);
  printLines(
    ...backends.lines,
    `agent    this machine  (process ${String(agent.pid)}, state in var/agent, log in var/log/agent.log)`,
    '',
  );
  const failed = Promise.race([rejectWhenEnded(backends), rejectWhenEnded(agent)]);
  printLines(
    ...overviewLines(
      url,
      urlOf(port),
      await Promise.race([firstResults(api, new Set(checks.keys()), stopController.signal), failed]),
    ),
  );
  await Promise.race([failed, stopped]);
  return 0;
}

/** Starts a backend with an empty store, and the demonstration site on it. */
async function serveDemo(port: number, started: AsyncDisposableStack): Promise<number> {
  const url = urlOf(port);
  rmSync(DEMO_DIRECTORY, { recursive: true, force: true });
  writeDefinitions(join(DEMO_DIRECTORY, 'conf.d'), 'site.json', demoDefinitions(DEMO_DIRECTORY));
  printMessage('starting the backend of the demonstration...');
  const backend = started.use(
    await startBackend(port, join(DEMO_DIRECTORY, 'conf.d'), join(DEMO_DIRECTORY, 'backend')),
  );
  const failed = rejectWhenEnded(backend);
  const api = openApiClient({ backend: url, env: {} });
  await Promise.race([waitForBackend(api), failed]);
  started.use(recordRunning(RECORD_FILE, { pid: process.pid, port, url, daemons: [...backend.pids] }));
  const onProgress = progressWriter();
  const site = started.use(startDemoSite(api, openUpgradeClient({ backend: url, env: {} }), { onProgress }));
  await Promise.race([site.ready, failed]);
  if (process.stderr.isTTY) process.stderr.write('\n');

  if (hasTerminal) return await runConsole(url);
  printLines(
    ...backend.lines,
    'site     2,000 simulated machines; within a minute, the first switch fails',
    '',
    `  ./scripts/mon --backend ${url}`,
    '',
    `running until it is stopped: Ctrl-C, or kill ${String(process.pid)}`,
  );
  await Promise.race([failed, stopped]);
  return 0;
}

/**
 * Returns a callback that prints the progress of the demonstration site: on one line in a terminal, otherwise as one
 * line per step.
 */
function progressWriter(): (progress: DemoProgress) => void {
  let written = '';
  return ({ step, percent }) => {
    const text = process.stderr.isTTY ? `${step}: ${String(percent)} %` : `${step}...`;
    if (text === written) return;
    written = text;
    if (process.stderr.isTTY) process.stderr.write(`\rmon: ${text}\u001B[K`);
    else printMessage(text);
  };
}

/** Returns the requested kind of start; `undefined` means one backend and an agent. */
function kindOf(args: readonly string[]): (typeof START_OPTIONS)[number] | undefined {
  const [kind, ...more] = args;
  if (kind === undefined) return undefined;
  const match = START_OPTIONS.find((name) => name === kind);
  if (match === undefined || more.length > 0) {
    throw new Error(`usage: ./scripts/start [${START_OPTIONS.join(' | ')}], not ${args.join(' ')}`);
  }
  return match;
}

function writeDefinitions(folder: string, file: string, definitions: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, file), `${JSON.stringify(definitions)}\n`);
}

async function startBackend(port: number, definitions: string, stateDir: string): Promise<Backends> {
  const daemon = await startDaemon(
    'backend',
    'dist/mon-backend.js',
    ['start', '--state-dir', stateDir, '--bind', '127.0.0.1', '--port', String(port), '-d', definitions],
    'var/log/backend.log',
  );
  const { pid, ended } = daemon;
  return {
    pids: [pid],
    ended,
    lines: [`backend  ${urlOf(port)}  (process ${String(pid)}, state in ${stateDir}, log in var/log/backend.log)`],
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

/**
 * Returns changed definitions for the checks that query the backend itself, with its actual URL. The result is empty if
 * the backend has the default port.
 */
function checksWithUrl(
  url: string,
  checks: ReadonlyMap<string, CheckDefinition>,
): Record<string, { command: CommandLine }> {
  const usual = urlOf(DEFAULT_PORT);
  return Object.fromEntries(
    [...checks].flatMap(([name, { command }]) =>
      command !== undefined && url !== usual && commandText(command).includes(usual)
        ? [[name, { command: replaceUrl(command, usual, url) }]]
        : [],
    ),
  );
}

function replaceUrl(command: CommandLine, from: string, to: string): CommandLine {
  return typeof command === 'string'
    ? command.replaceAll(from, to)
    : command.map((argument) => argument.replaceAll(from, to));
}

/** Runs the console in the terminal until the user quits, and returns its exit code. */
async function runConsole(url: string): Promise<number> {
  const child = spawn(process.execPath, ['dist/mon.js', '--backend', url], { stdio: 'inherit' });
  stopController.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 0;
}

async function waitForBackend(api: ApiClient): Promise<void> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    try {
      await api.info();
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new Error(`the backend does not answer (${errorMessage(error)}); see var/log/backend.log`, {
          cause: error,
        });
      }
    }
    await delay(100, undefined, { signal: stopController.signal });
  }
}

/** Waits for a program to end, and then rejects with the reason; it never resolves. */
async function rejectWhenEnded(program: Pick<DaemonProcess, 'ended'>): Promise<never> {
  throw new Error(await program.ended);
}

function overviewLines(backends: string, url: string, results: Parameters<typeof resultLines>[0]): string[] {
  const option = backends === urlOf(DEFAULT_PORT) ? '' : ` --backend ${backends}`;
  return [
    ...(results.length > 0
      ? ['first results of this machine:', ...resultLines(results).map((line) => `  ${line}`)]
      : ['no results yet; see var/log/agent.log']),
    '',
    'to look at:',
    `  ${url}/events    what is wrong now`,
    `  ${url}/results   the last result of every check`,
    `  ${url}/clients   the agents`,
    '',
    'to try:',
    `  ./scripts/mon${option}`,
    `  ./scripts/monctl event list${option}`,
    `  ./scripts/monctl silence create --check ready --expire 1h --reason practice${option}`,
    '  touch var/ready    (mends the check "ready", which fails on purpose until that file exists)',
    '',
    `running until it is stopped: Ctrl-C, or kill ${String(process.pid)}`,
  ];
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`MON_PORT must be a port number from 1 to 65535, not "${text}"`);
  }
  return port;
}

function printLines(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Reports a message while the console may be running. The console owns the terminal and would not redraw over foreign
 * text, so the message goes to a log file.
 */
function reportWhileConsoleRuns(message: string): void {
  if (hasTerminal) appendFileSync('var/log/start.log', `${new Date().toISOString()} ${message}\n`);
  else printMessage(message);
}

function printMessage(message: string): void {
  process.stderr.write(`mon: ${message}\n`);
}
