import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { configSources, parseBackendArguments } from '../../../daemon/backend/arguments.ts';
import { loadInstalled } from '../../../daemon/backend/config/load-installed.ts';
import { storeFiles } from '../../../daemon/backend/store/inspect/store-files.ts';
import { flip } from '../../support/damaged-store.ts';
import { modesBeneath, underUmask } from '../../support/file-modes.ts';
import { startDaemon, type DaemonProcess } from '../../support/start-daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { programArguments } from '../../support/built-programs.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `mon-backend` to its end, and returns its exit code and output. */
async function run(args: readonly string[], options: { stdin?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [...programArguments('mon-backend'), ...args], {
    env: { ...process.env, ...options.env },
  });
  child.stdin.end(options.stdin ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

async function fileWith(content: object | string, name = 'config.json'): Promise<string> {
  const file = join(await tempDir(), name);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const disk = { command: 'check-disk', subscribers: ['base'], interval: 60 };

describe('--validate-config', () => {
  test('--validate-config exits with 0 for a valid configuration and prints its warnings', async () => {
    const file = await fileWith({ checks: { disk: { ...disk, handler: 'mial' } } });
    expect(await run(['--validate-config', '-c', file])).toEqual({
      code: 0,
      stdout: 'configuration is valid\n',
      stderr: `warning: ${file}: checks.disk: refers to the handler "mial", which is not defined\n`,
    });
  });

  test('--validate-config with --strict exits with 2 for a configuration with warnings', async () => {
    const file = await fileWith({ checks: { disk: { ...disk, handler: 'mial', occurrences: '3' } } });
    const { code, stdout, stderr } = await run(['--validate-config', '--strict', '-c', file]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout.replace('configuration is invalid\n', ''))).toEqual([
      {
        file,
        path: 'checks.disk.occurrences',
        message: 'is in quotes: the number 3 is used; remove the quotes',
      },
      { file, path: 'checks.disk', message: 'refers to the handler "mial", which is not defined' },
    ]);
  });

  test('--validate-config warns about unreadable filters and unknown attributes', async () => {
    const attributes = { chek: { status: 2 } };
    const unread = { attributes: { occurrences: 'eval: value ==' } };
    const file = await fileWith({ filters: { typo: { attributes }, unread } });
    expect(await run(['start', '--validate-config', '-c', file])).toEqual({
      code: 0,
      stdout: 'configuration is valid\n',
      stderr:
        `warning: ${file}: filters.unread.attributes.occurrences: a value is missing here (character 15); ` +
        'this filter is ignored, so the handlers that use it get all events: fix the filter\n' +
        `warning: ${file}: filters.typo.attributes.chek.status: uses chek, ` +
        'which has no value unless the data contains an attribute of that name: did you mean check?\n',
    });
  });

  test('--validate-config exits with 2 for an invalid configuration and prints its problems as JSON', async () => {
    const file = await fileWith('log-level: chatty\napi: {port: -1}\n', 'backend.yml');
    const { code, stdout, stderr } = await run(['start', '--validate_config', '-c', file]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    const [title, ...json] = stdout.split('\n');
    expect(title).toBe('configuration is invalid');
    expect(JSON.parse(json.join('\n'))).toEqual([
      { file, path: 'api.port', message: 'expected number to be >=0' },
      { file, path: 'log-level', message: 'expected one of "debug"|"info"|"warn"|"error"|"fatal"' },
    ]);
  });

  test('--validate-config warns about a time window that ends on the next day', async () => {
    const friday = { days: { friday: [{ begin: '5:00 PM', end: '8:00 AM' }] } };
    const file = await fileWith({ checks: { disk: { ...disk, subdue: friday } } });
    expect((await run(['--validate-config', '-c', file])).stderr).toBe(
      `warning: ${file}: checks.disk.subdue.days.friday.0: end is before begin, so the time window runs from friday 5:00 PM to 8:00 AM on the next day\n`,
    );
  });
});

/** Loads the settings in this process as the program does, because a start of the program for each case is slow. */
test.each<{ name: string; args: string[]; env?: Readonly<Record<string, string>>; stderr: RegExp }>([
  {
    name: 'an invalid value in the environment',
    args: ['start'],
    env: { MON_LOG_LEVEL: 'loud' },
    stderr: /environment: log-level: /,
  },
  {
    name: 'a port out of range',
    args: ['start', '--port', '70000'],
    stderr: /command line: api.port: expected number to be <=65535/,
  },
  {
    name: 'a credentials file without a password',
    args: ['start'],
    env: { MON_CREDENTIALS_FILE: '/dev/null' },
    stderr: /MON_CREDENTIALS_FILE: the file must contain one line: "USER:PASSWORD" or "USER:HASH"/,
  },
  {
    name: 'a certificate without its key',
    args: ['start', '--cert-file', 'none.pem'],
    stderr: /command line: tls\.key-file: /,
  },
])('the backend rejects $name at the start with the reason', async ({ args, env = {}, stderr }) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const sources = configSources(parseBackendArguments(args).flags, undefined);
  await expect(loadInstalled(sources, undefined)).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(stderr),
  });
});

test.each<{ name: string; args: string[]; stderr: RegExp }>([
  {
    name: 'an unknown log level',
    args: ['start', '--log-level', 'loud'],
    stderr: /command line: log-level: expected one/,
  },
  {
    name: 'a log that cannot be written',
    args: ['start', '--log', '/dev/null/log'],
    stderr: /the log cannot be written to \/dev\/null\/log/,
  },
  {
    name: 'a flag given twice',
    args: ['start', '--port', '1', '--port', '2'],
    stderr: /The flag --port can only be set once/,
  },
  {
    name: '--strict without --validate-config',
    args: ['start', '--strict'],
    stderr: /--strict needs --validate-config/,
  },
  { name: 'no command', args: [], stderr: /a command is missing/ },
  { name: 'an unknown command', args: ['stop'], stderr: /unknown command stop/ },
  {
    name: 'public access without credentials',
    args: ['start', '--bind', '0.0.0.0'],
    stderr: /0\.0\.0\.0 can be reached by other hosts/,
  },
  {
    name: 'public access with credentials but without TLS',
    args: ['start', '--bind', '0.0.0.0', '--insecure'],
    stderr: /0\.0\.0\.0 \(api\) can be reached by other hosts without TLS.*--cert-file and --key-file.*--insecure-http/,
  },
  {
    name: 'a missing certificate',
    args: ['start', '--cert-file', 'none.pem', '--key-file', 'none.key'],
    stderr: /none\.pem cannot be used as tls\.cert-file: there is no such file/,
  },
  {
    name: 'a missing certificate during validation',
    args: ['--validate-config', '--cert-file', 'none.pem', '--key-file', 'none.key'],
    stderr: /none\.pem cannot be used as tls\.cert-file: there is no such file/,
  },
])('mon-backend with wrong usage exits with 2 and a reason: $name', async ({ args, stderr }) => {
  const stateDir = await tempDir();
  const ended = await run(args, { env: { MON_STATE_DIR: stateDir } });
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
});

test.each([[['--help']], [['start', '--help']], [['init', '--help']]])(
  'mon-backend with %j prints its usage and starts nothing',
  async (args) => {
    const stateDir = join(await tempDir(), 'state');
    const ended = await run(args, { env: { MON_STATE_DIR: stateDir } });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('mon-backend start [options]') });
    await expect(readFile(join(stateDir, 'LOCK'))).rejects.toThrow('ENOENT');
  },
);

describe('a damaged store', () => {
  test(
    'a damaged store is rejected, can be repaired into a copy, and opens if the operator accepts the loss',
    { tags: 'slow' },
    async () => {
      const dir = await tempDir();
      await using writing = await startDaemon({ stateDir: dir });
      for (let number = 0; number < 10; number++) {
        const body = JSON.stringify({ source: `c-${String(number)}`, name: 'disk', output: 'o', status: 2 });
        await fetch(`${writing.url}/results`, { method: 'POST', body });
      }
      await writing.end('SIGTERM');
      const [log = ''] = (await storeFiles(dir)).logs.slice(-1);
      await flip(join(dir, log), 2000);
      const refused = await run(['start', '--state-dir', dir, '--port', '0']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('mon-backend start --accept-loss') });

      const repaired = await run(['repair', dir]);
      expect(repaired).toMatchObject({ code: 0, stdout: expect.stringMatching(/^kept, in .*\d+ client$/ms) });
      const copy = /^kept, in (.*):$/m.exec(repaired.stdout)?.[1] ?? '';
      onTestFinished(() => rm(copy, { recursive: true }));
      expect(repaired.stdout).toMatch(new RegExp(`lost:\\n {2}${log}: the bytes \\d+ to \\d+ have a wrong checksum`));
      expect(repaired.stdout).toContain(`mv ${dir} ${dir}.damaged && mv ${copy} ${dir}`);

      await using daemon = await startDaemon({ stateDir: dir, args: ['--accept-loss'] });
      const record = daemon.records.find(({ message }) => message.startsWith('store has lost writes'));
      expect(record).toMatchObject({ level: 'warn', evidence: expect.stringContaining(join(dir, 'damaged')) });
      expect(await run(['repair', dir])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('stop the backend first'),
      });
    },
  );

  test.each([[['repair']], [['repair', 'a', 'b']], [['repair', '/nowhere/at/all']]])(
    'mon-backend repair with the arguments %j exits with 2',
    async (args) => {
      expect(await run(args)).toMatchObject({ code: 2 });
    },
  );
});

describe('hash-password', () => {
  test('hash-password prints a different hash each time', async () => {
    const [first, second] = await Promise.all([
      run(['hash-password'], { stdin: 'secret\n' }),
      run(['hash-password'], { stdin: 'secret\n' }),
    ]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}\n$/);
    expect(second.stdout).not.toBe(first.stdout);
  });

  test.each([{ stdin: '' }, { stdin: '\n' }, { stdin: 'two\nlines' }])(
    'hash-password rejects the input $stdin',
    async ({ stdin }) => {
      expect(await run(['hash-password'], { stdin })).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

test('flags override configuration files, and configuration files override the environment', async () => {
  const dir = await tempDir();
  const file = await fileWith(`state-dir: ${join(dir, 'from-file')}\nlog-level: warn\napi: {port: 1}\n`, 'backend.yml');
  await using daemon = await startDaemon({
    stateDir: join(dir, 'from-flag'),
    args: ['-c', file, '--log-level', 'info'],
    env: { MON_STATE_DIR: join(dir, 'from-environment'), MON_BIND: '127.0.0.2' },
  });
  expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
  expect(daemon.records.at(-1)).toMatchObject({ state_dir: join(dir, 'from-flag') });
});

async function get(daemon: DaemonProcess, path: string): Promise<unknown> {
  const answer = await fetch(`${daemon.url}${path}`);
  return answer.json();
}

const messagesOf = (daemon: DaemonProcess): string[] => daemon.records.map(({ message }) => message);

describe('a running backend', () => {
  test('a running backend applies a changed configuration file and ignores a file that it rejects', async () => {
    const file = await fileWith({ checks: { disk, load: disk } });
    await using daemon = await startDaemon({ stateDir: await tempDir(), args: ['-c', file] });
    const before = (await get(daemon, '/info')) as { sensu: { settings: { hexdigest: string } } };

    // The file is saved as editors do: a new file is renamed over the old one.
    await writeFile(`${file}.new`, JSON.stringify({ checks: { disk: { ...disk, interval: 30 }, ping: disk } }));
    await rename(`${file}.new`, file);
    await vi.waitFor(() => expect(messagesOf(daemon)).toContain('config file applied changes'));
    expect(daemon.records.at(-1)).toMatchObject({
      change_count: 3,
      changes: [
        { path: 'checks.disk.interval', before: 60, after: 30 },
        { path: 'checks.load', before: JSON.stringify(disk) },
        { path: 'checks.ping', after: JSON.stringify(disk) },
      ],
    });
    expect(await get(daemon, '/checks')).toMatchObject([{ name: 'disk', interval: 30 }, { name: 'ping' }]);
    const after = (await get(daemon, '/info')) as { sensu: { settings: { hexdigest: string } } };
    expect(after.sensu.settings.hexdigest).not.toBe(before.sensu.settings.hexdigest);
    expect(after).toMatchObject({ mon: { config: { error: null, loaded_at: expect.any(Number) } } });

    await writeFile(file, '{"checks": {"disk": {}}, "mutators": 1}');
    await vi.waitFor(() =>
      expect(messagesOf(daemon)).toContain('configuration rejected: the previous configuration stays in effect'),
    );
    expect(daemon.records.at(-1)).toMatchObject({
      level: 'error',
      problem_count: 4,
      problems: expect.arrayContaining([`${file}: checks.disk.command: is required, unless extension is set`]),
    });
    expect(await get(daemon, '/checks')).toHaveLength(2);
    expect(await get(daemon, '/info')).toMatchObject({
      sensu: after.sensu,
      mon: { config: { error: 'the new configuration has 4 problems, see the log; the previous one stays in effect' } },
    });
  });

  test('SIGHUP reloads the configuration, and the log names settings that need a restart', async () => {
    const file = await fileWith({
      api: { port: 1 },
      handlers: { mail: { type: 'pipe', command: 'mail', token: 'a', password: 'old' } },
    });
    await using daemon = await startDaemon({ stateDir: await tempDir(), args: ['-c', file] });
    await writeFile(
      file,
      JSON.stringify({
        api: { cors: false },
        handlers: { mail: { type: 'pipe', command: 'mail', token: 'a', password: 'new' } },
      }),
    );
    process.kill(daemon.pid, 'SIGHUP');
    await vi.waitFor(() =>
      expect(messagesOf(daemon)).toContain('some changed settings take effect only after a restart'),
    );
    expect(daemon.records.slice(-2)).toMatchObject([
      {
        message: 'config file applied changes',
        changes: [
          { path: 'api.cors', after: false },
          { path: 'handlers.mail.password', before: 'REDACTED', after: 'REDACTED' },
        ],
      },
      { level: 'warn', settings: ['api.cors'] },
    ]);
    expect(JSON.stringify(daemon.records)).not.toMatch(/"old"|"new"/);
  });

  test('a reload that would remove all credentials of the backend is rejected', async () => {
    const file = await fileWith({ api: { user: 'ops', password: 'secret' } });
    await using daemon = await startDaemon({
      stateDir: await tempDir(),
      args: ['-c', file, '--bind', '0.0.0.0', '--insecure-http'],
    });
    await writeFile(file, '{}');
    process.kill(daemon.pid, 'SIGHUP');
    await vi.waitFor(() =>
      expect(messagesOf(daemon)).toContain('configuration rejected: the previous configuration stays in effect'),
    );
    expect((await fetch(`${daemon.url.replace('0.0.0.0', '127.0.0.1')}/events`)).status).toBe(401);
  });

  test('a backend logs each response without secrets, and at level debug only if configured', async () => {
    await using daemon = await startDaemon({ stateDir: await tempDir() });
    const body = JSON.stringify({ name: 'disk', output: 'body-secret' });
    const headers = { 'X-Request-ID': 'mine', Authorization: `Basic ${btoa('ops:header-secret')}` };
    await fetch(`${daemon.url}/results?token=query-secret`, { method: 'POST', body, headers });
    await fetch(`${daemon.url}/results/sensu-api/disk`);
    await fetch(`${daemon.url}/nothing/here`);
    await vi.waitFor(() => expect(messagesOf(daemon).filter((message) => message === 'api response')).toHaveLength(3));
    expect(daemon.records.filter(({ message }) => message === 'api response')).toMatchObject([
      {
        level: 'info',
        method: 'POST',
        route: '/results',
        status: 202,
        request_id: 'mine',
        remote_address: '127.0.0.1',
        time_ms: expect.any(Number),
      },
      { method: 'GET', route: '/results/:client/:check', status: 200 },
      { method: 'GET', route: null, status: 404 },
    ]);
    expect(JSON.stringify(daemon.records)).not.toMatch(/body-secret|header-secret|query-secret|b3BzO/);
  });

  test('responses below the log level are not logged until the signal SIGTRAP turns on the level debug', async () => {
    await using daemon = await startDaemon({
      stateDir: await tempDir(),
      env: { MON_REQUEST_LOG_LEVEL: 'debug' },
    });
    await fetch(`${daemon.url}/health`);
    process.kill(daemon.pid, 'SIGTRAP');
    await vi.waitFor(async () => {
      await fetch(`${daemon.url}/info`);
      expect(messagesOf(daemon)).toContain('api response');
    });
    expect(daemon.records.filter(({ message }) => message === 'api response')).not.toContainEqual(
      expect.objectContaining({ route: '/health' }),
    );
  });

  test('files of the backend are private whatever the umask is, and its handlers inherit the umask', async () => {
    const dir = await tempDir();
    const file = await fileWith({ handlers: { note: { type: 'pipe', command: `umask > ${dir}/made` } } });
    const stateDir = join(dir, 'state');
    await using daemon = await underUmask(0o002, () => startDaemon({ stateDir, args: ['-c', file] }));
    const body = JSON.stringify({ name: 'disk', output: 'full', status: 2, handler: 'note' });
    await fetch(`${daemon.url}/results`, { method: 'POST', body });
    await vi.waitFor(async () => expect(await readFile(join(dir, 'made'), 'utf8')).toMatch(/^0*2\n$/));
    expect(await modesBeneath(stateDir)).toEqual({ directories: ['700'], files: ['600'] });
  });

  test('SIGUSR2 makes the backend reopen its log file after the file was renamed', async () => {
    const dir = await tempDir();
    const file = join(dir, 'backend.log');
    const child = spawn(
      process.execPath,
      [...programArguments('mon-backend'), 'start', '--state-dir', join(dir, 'state'), '--port', '0', '--log', file],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const closed = once(child, 'close');
    onTestFinished(() => void child.kill('SIGKILL'));
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('backend started'));
    await rename(file, `${file}.1`);
    child.kill('SIGUSR2');
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toBe(''));
    child.kill('SIGTERM');
    expect(await text(child.stdout)).toBe('');
    expect((await closed)[0]).toBe(0);
    expect(await readFile(`${file}.1`, 'utf8')).not.toContain('backend stopping');
    expect(await readFile(file, 'utf8')).toMatch(/backend stopping.*\n.*backend stopped/);
  });
});
