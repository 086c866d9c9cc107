import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientIdentity } from '../../../daemon/agent/client-record.ts';
import { EXTENSION_NAMES, findExtension } from '../../../daemon/agent/extensions/find-extension.ts';
import { readAgentConfig } from '../../../daemon/agent/load-config.ts';
import type { CommandOutcome } from '../../../daemon/command/command-outcome.ts';
import { CommandWatchdog } from '../../../daemon/command/command-watchdog.ts';
import { runCommand } from '../../../daemon/command/run-command.ts';
import { SystemClock } from '../../../daemon/clock/system-clock.ts';
import type { CommandLine } from '../../../shared/schemas/command.ts';
import { tempDir } from '../../support/temp-dir.ts';

const EXAMPLES = { directories: ['examples/conf.d'], env: {} };

async function run(command: CommandLine): Promise<CommandOutcome> {
  using watchdog = new CommandWatchdog();
  return await runCommand(command, {
    clock: new SystemClock(),
    watchdog,
    signal: new AbortController().signal,
    timeoutMs: 20_000,
  });
}

/** Starts an HTTP server that responds with the status in the path: `/404` gets 404. */
async function startServer(): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${String(address.port)}`;
}

describe('the example check definitions', () => {
  test('the example check definitions are valid and contain both scheduled and standalone checks', async () => {
    const { checks, warnings } = await readAgentConfig(EXAMPLES);
    expect(warnings).toEqual([]);
    expect([...checks.keys()].toSorted()).toEqual([
      'backend-http',
      'backend-process',
      'disk',
      'load',
      'memory',
      'ready',
    ]);
    expect(new Set([...checks.values()].map(({ standalone }) => standalone ?? false))).toEqual(new Set([true, false]));
  });

  test.each(['disk', 'memory', 'load', 'backend-process', 'backend-http', 'ready'])(
    'the example check %s runs on this machine and prints one line',
    async (name) => {
      const { checks } = await readAgentConfig(EXAMPLES);
      const outcome = await run(checks.get(name)?.command ?? 'exit 99');
      expect(outcome).toEqual({
        kind: 'exited',
        status: expect.toBeOneOf([0, 1, 2]),
        output: expect.stringMatching(/^[A-Z]+ (?:OK|WARNING|CRITICAL) - [^\n]+\n$/),
      });
    },
  );
});

describe('the example agent configuration', () => {
  const sources = { file: 'examples/agent/agent.yml', directories: ['examples/agent/conf.d'], env: {} };

  test('the example agent configuration is valid and uses every built-in check', async () => {
    const { checks, client, warnings } = await readAgentConfig(sources);
    expect(warnings).toEqual([]);
    expect(clientIdentity({}, client).subscriptions).toEqual(expect.arrayContaining(['linux', 'web']));
    expect(new Set([...checks.values()].map(({ extension }) => extension))).toEqual(new Set(EXTENSION_NAMES));
  });

  test.each(['root-disk', 'memory', 'load', 'backend-runs', 'backend-api', 'ssh'])(
    'the built-in check %s of the example agent configuration runs on this machine and returns one line',
    async (name) => {
      const { checks } = await readAgentConfig(sources);
      const { extension = '', ...check } = checks.get(name) ?? {};
      const finding = await findExtension(extension)?.run(check[extension], { signal: new AbortController().signal });
      expect(finding).toEqual({
        status: expect.toBeOneOf([0, 1, 2]),
        output: expect.stringMatching(/^[A-Z]+ (?:OK|WARNING|CRITICAL) - [^\n]+$/),
      });
    },
  );
});

describe('the example checks', () => {
  test.each<{ command: string; status: number; expectedOutput: RegExp }>([
    {
      command: 'disk.sh 101 102',
      status: 0,
      expectedOutput: /^DISK OK - \/ is \d+\.\d% full: .* \(warning at 101%, critical at 102%\)$/,
    },
    { command: 'disk.sh 0 102', status: 1, expectedOutput: /^DISK WARNING - \// },
    { command: 'disk.sh 0 0', status: 2, expectedOutput: /^DISK CRITICAL - \// },
    { command: 'disk.sh 80 90 /no/such/path', status: 3, expectedOutput: /^DISK UNKNOWN - df \/no\/such\/path: / },
    {
      command: 'memory.sh 101 102',
      status: 0,
      expectedOutput: /^MEMORY OK - \d+\.\d% in use: .* \(warning at 101%, critical at 102%\)$/,
    },
    { command: 'memory.sh 0 0', status: 2, expectedOutput: /^MEMORY CRITICAL - / },
    {
      command: 'load.sh 9999 9999',
      status: 0,
      expectedOutput: /^LOAD OK - \d+\.\d\d per core .* \(warning at 9999, critical at 9999 per core\)$/,
    },
    { command: 'load.sh 0 0', status: 2, expectedOutput: /^LOAD CRITICAL - / },
    { command: 'process.sh vitest', status: 0, expectedOutput: /^PROCESS OK - \d+ running with "vitest"/ },
    {
      command: 'process.sh no-such-process',
      status: 2,
      expectedOutput: /^PROCESS CRITICAL - no process with "no-such-process"/,
    },
    { command: 'file.sh package.json', status: 0, expectedOutput: /^FILE OK - package\.json exists/ },
    {
      command: 'file.sh no/such/file',
      status: 2,
      expectedOutput: /^FILE CRITICAL - .* \(to resolve this: touch no\/such\/file\)$/,
    },
    {
      command: 'http.sh http://127.0.0.1:1/ 2',
      status: 2,
      expectedOutput: /^HTTP CRITICAL - http:\/\/127\.0\.0\.1:1\/ does not respond/,
    },
  ])('the example command $command exits with $status', async ({ command, status, expectedOutput }) => {
    const outcome = await run(`sh examples/checks/${command}`);
    expect(outcome).toMatchObject({ status });
    expect(outcome.kind === 'exited' && outcome.output.trimEnd()).toMatch(expectedOutput);
  });

  test.each(['disk.sh', 'memory.sh', 'load.sh', 'process.sh', 'http.sh', 'file.sh'])(
    'the example check %s without arguments exits as unknown and prints its usage',
    async (script) => {
      expect(await run(`sh examples/checks/${script}`)).toMatchObject({
        status: 3,
        output: expect.stringContaining(`UNKNOWN - usage: ${script} `),
      });
    },
  );

  test.each<{ responseStatus: number; status: number }>([
    { responseStatus: 200, status: 0 },
    { responseStatus: 204, status: 0 },
    { responseStatus: 404, status: 2 },
    { responseStatus: 503, status: 2 },
  ])(
    'the example HTTP check exits with $status for an endpoint that responds with $responseStatus',
    async ({ responseStatus, status }) => {
      const url = await startServer();
      expect(await run(`sh examples/checks/http.sh ${url}/${String(responseStatus)} 5`)).toMatchObject({
        status,
        output: expect.stringContaining(`answers ${String(responseStatus)}`),
      });
    },
  );

  test('the example HTTP check without curl and wget exits as unknown with the reason', async () => {
    const dir = await tempDir();
    expect(await run(`PATH=${dir} /bin/sh examples/checks/http.sh http://127.0.0.1:1/ 2`)).toMatchObject({
      status: 3,
      output: 'HTTP UNKNOWN - neither curl nor wget is installed, one of them is needed to ask http://127.0.0.1:1/\n',
    });
  });
});
