import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig, type LoadedConfig } from '../../../../daemon/backend/config/load-config.ts';
import { MonError, errorMessage } from '../../../../shared/errors.ts';
import { SHELL_TOKENS_WARNING } from '../../../../shared/domain/shell-tokens.ts';

type Files = Record<string, unknown>;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mon-config-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes files: texts unchanged, other values as JSON. */
function write(files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** Writes the files, and loads `main.json`, if it exists, and then `conf.d`. */
async function load(files: Files, env: Record<string, string> = {}): Promise<LoadedConfig> {
  write({ 'conf.d/.keep': '', ...files });
  const main = 'main.json' in files ? { file: join(root, 'main.json') } : {};
  return loadConfig({ ...main, directories: [join(root, 'conf.d')], env });
}

/** Returns the error message of a failed load, with paths as in `Files`. */
async function failure(loading: Promise<unknown>): Promise<string> {
  const error: unknown = await loading.then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MonError);
  expect(error).toMatchObject({ code: 'invalid' });
  return errorMessage(error).replaceAll(`${root}/`, '');
}

const warningsOf = (config: LoadedConfig): string[] => config.warnings.map((line) => line.replaceAll(`${root}/`, ''));

const HASH = `scrypt$2$1$1$${'s'.repeat(22)}$${'h'.repeat(43)}`;

const disk = { command: 'df', subscribers: ['base'], interval: 60 };

test('a backend without configuration has no definitions, and its API listens on loopback', async () => {
  expect(await load({})).toEqual({
    settings: {},
    checks: new Map(),
    files: [],
    handlers: new Map(),
    filters: new Map(),
    mutators: new Map(),
    inhibitions: new Map(),
    people: new Map(),
    schedules: new Map(),
    keepalives: { thresholds: { warning: 120, critical: 180 } },
    api: { bind: '127.0.0.1', port: 4567 },
    program: expect.objectContaining({ 'state-dir': 'var/backend', 'log-level': 'info', 'request-log-level': 'info' }),
    warnings: [],
    folders: [{ path: root, only: 'conf.d' }, { path: join(root, 'conf.d') }],
  });
});

test('the backend reads every section of its configuration files', async () => {
  const config = await load({
    'conf.d/all.json': {
      checks: { disk: { ...disk, team: 'storage' } },
      handlers: { mail: { type: 'pipe', command: 'mail ops' } },
      filters: { production: { attributes: {} } },
      mutators: { wrap: { command: 'cat' } },
      client: { name: 'here' },
      api: { bind: '10.0.0.1', port: 8000, user: 'ops', password: HASH, cors: false },
    },
  });
  expect(config.checks).toEqual(new Map([['disk', { ...disk, team: 'storage' }]]));
  expect(config.handlers).toEqual(new Map([['mail', { type: 'pipe', command: 'mail ops' }]]));
  expect(config.filters).toEqual(new Map([['production', { attributes: {} }]]));
  expect(config.mutators).toEqual(new Map([['wrap', { command: 'cat' }]]));
  expect(config.api).toEqual({ bind: '10.0.0.1', port: 8000, user: 'ops', password: HASH, cors: false });
  expect(config.settings['client']).toEqual({ name: 'here' });
  expect(config.warnings).toEqual([]);
});

test('later configuration files override earlier ones, objects are merged, and arrays are concatenated', async () => {
  const config = await load(
    {
      'main.json': { api: { port: 2 }, checks: { disk } },
      'conf.d/b.json': { checks: { disk: { interval: 20, subscribers: ['base', 'web'] } } },
      'conf.d/a/z.json': { checks: { disk: { interval: 10, subscribers: ['db'] } } },
    },
    { MON_PORT: '1' },
  );
  expect(config.checks.get('disk')).toEqual({ command: 'df', interval: 20, subscribers: ['base', 'db', 'web'] });
  expect(config.api.port).toBe(2);
});

test('a check that several files define gets a warning that names the files', async () => {
  const config = await load({
    'main.json': { checks: { disk, load: disk } },
    'conf.d/a.json': { checks: { disk: { command: 'one' } } },
    'conf.d/b.json': { checks: { disk: { command: 'two' } } },
  });
  expect(warningsOf(config)).toEqual([
    'conf.d/b.json: checks.disk: is also defined in main.json, conf.d/a.json: the definitions and their lists are merged, ' +
      'and this file takes precedence; keep only one definition',
  ]);
  await expect(
    loadConfig({ file: join(root, 'main.json'), directories: [join(root, 'conf.d')], env: {}, isStrict: true }),
  ).rejects.toMatchObject({ code: 'invalid' });
});

test('configuration directories are read in the order of their flags', async () => {
  write({ 'first/x.json': { api: { port: 1 } }, 'second/x.json': { api: { port: 2 } } });
  const [first, second] = [join(root, 'first'), join(root, 'second')];
  expect((await loadConfig({ directories: [first, second], env: {} })).api.port).toBe(2);
  expect((await loadConfig({ directories: [second, first], env: {} })).api.port).toBe(1);
});

test('the environment sets the port unless a configuration file does', async () => {
  expect((await load({}, { MON_PORT: '4999' })).api.port).toBe(4999);
});

test('a byte order mark is skipped, and hidden files and files with other extensions are ignored', async () => {
  const config = await load({
    'conf.d/a.json': `\uFEFF${JSON.stringify({ api: { port: 1 } })}`,
    'conf.d/.b.json': 'not JSON',
    'conf.d/.git/c.json': 'not JSON',
    'conf.d/d.json.bak': 'not JSON',
  });
  expect(config.api.port).toBe(1);
});

test('a symbolic link to a configuration directory is read once, even if the links form a cycle', async () => {
  write({ 'elsewhere/a.json': { checks: { disk } }, 'conf.d/b.json': {} });
  symlinkSync(join(root, 'elsewhere'), join(root, 'conf.d/linked'));
  symlinkSync(join(root, 'conf.d'), join(root, 'elsewhere/back'));
  expect([...(await load({})).checks.keys()]).toEqual(['disk']);
});

test('a missing main configuration file gets a warning', async () => {
  const config = await loadConfig({ file: join(root, 'none.json'), directories: [], env: {} });
  expect(warningsOf(config)).toEqual(['none.json: the file does not exist: continuing without this file']);
});

test.each<{ name: string; files: Files; warnings: string[] }>([
  {
    name: 'sections of Sensu Core',
    files: { 'conf.d/a.json': { redis: { host: 'db' }, transport: {} } },
    warnings: [
      'conf.d/a.json: redis: belongs to Sensu Core and has no effect here',
      'conf.d/a.json: transport: belongs to Sensu Core and has no effect here',
    ],
  },
  {
    name: 'unknown sections',
    files: { 'conf.d/a.json': { mailer: {} } },
    warnings: [
      'conf.d/a.json: mailer: is not a known section: the section has no effect except that GET /settings shows it',
    ],
  },
  {
    name: 'unknown attributes of the API',
    files: { 'conf.d/a.json': { api: { hots: '10.0.0.1' } } },
    warnings: ['conf.d/a.json: api.hots: is not a known setting and has no effect'],
  },
  {
    name: 'undefined handlers',
    files: {
      'conf.d/a.json': {
        handlers: { all: { type: 'set', handlers: ['mail', 'pager'] }, mail: { type: 'pipe', command: 'mail' } },
      },
      'conf.d/b.json': {
        checks: { disk: { ...disk, handler: 'mial', handlers: ['mail', 'mial', 'debug'], contacts: ['ops'] } },
      },
    },
    warnings: [
      'conf.d/b.json: checks.disk: refers to the handler "mial", which is not defined',
      'conf.d/b.json: checks.disk: refers to the handler "ops", which is not defined',
      'conf.d/a.json: handlers.all: refers to the handler "pager", which is not defined',
    ],
  },
  {
    name: 'misleading templates',
    files: {
      'conf.d/a.json': {
        handlers: {
          chat: {
            type: 'webhook',
            preset: 'ntfy',
            topic: 'alerts',
            templates: { title: '{{ severity', text: '{{ title }} {{ event.chek.output }} {{ event.check.team }}' },
          },
        },
      },
    },
    warnings: [
      'conf.d/a.json: handlers.chat.templates.title: {{ needs a }} after its expression (character 1); the default text is sent instead: fix it',
      'conf.d/a.json: handlers.chat.templates.text: uses event.chek, which has no value unless the data contains an attribute of that name: did you mean event.check?',
    ],
  },
])('$name get warnings and do not prevent the start', async ({ files, warnings }) => {
  expect(warningsOf(await load(files))).toEqual(warnings);
});

const checkWith = (attributes: object): Files => ({
  'conf.d/a.json': { checks: { disk: { ...disk, ...attributes } } },
});

test.each<{ name: string; files: Files; problem: string }>([
  {
    name: 'broken JSON',
    files: { 'conf.d/a.json': '{\n  "checks": {},\n}' },
    problem: 'conf.d/a.json, line 2, column 15: remove the comma before "}"',
  },
  {
    name: 'a file without sections',
    files: { 'conf.d/a.json': '[]' },
    problem: 'conf.d/a.json: must contain an object with sections such as "checks"',
  },
  {
    name: 'a broken main file',
    files: { 'main.json': '{' },
    problem: 'main.json, line 1, column 2: expected a name in double quotes',
  },
  {
    name: 'a name that could reach a prototype',
    files: { 'conf.d/a.json': '{"checks": {"__proto__": {}}}' },
    problem: 'conf.d/a.json, line 1, column 13: the field name "__proto__" is not allowed',
  },
  {
    name: 'a check defined twice in a file',
    files: { 'conf.d/a.json': '{"checks": {"a": {},\n"a": {}}}' },
    problem: 'conf.d/a.json, line 2, column 1: the name "a" is defined twice: remove one',
  },
  {
    name: 'a section that is no object',
    files: { 'conf.d/a.json': { handlers: [] } },
    problem: 'conf.d/a.json: handlers: must be an object that maps each name to its definition',
  },
  {
    name: 'a definition that is no object',
    files: { 'conf.d/a.json': { filters: { production: true } } },
    problem: 'conf.d/a.json: filters.production: must be an object',
  },
  {
    name: 'a client section that is no object',
    files: { 'conf.d/a.json': { client: 'web1' } },
    problem: 'conf.d/a.json: client: must be an object',
  },
  {
    name: 'a bad check name',
    files: { 'conf.d/a.json': { checks: { 'disk usage': disk } } },
    problem: 'conf.d/a.json: checks.disk usage: must be word characters, dots and hyphens only',
  },
  {
    name: 'a check name that is a folder',
    files: { 'conf.d/a.json': { checks: { '..': disk } } },
    problem: 'conf.d/a.json: checks...: must not be . or ..',
  },
  {
    name: 'an attribute of the wrong type',
    files: checkWith({ interval: '60' }),
    problem: 'conf.d/a.json: checks.disk.interval: expected number, received string',
  },
  {
    name: 'a check without a command',
    files: { 'conf.d/a.json': { checks: { disk: { subscribers: ['base'], interval: 60 } } } },
    problem: 'conf.d/a.json: checks.disk.command: is required, unless extension is set',
  },
  {
    name: 'a check without subscribers',
    files: { 'conf.d/a.json': { checks: { disk: { command: 'df', interval: 60 } } } },
    problem:
      'conf.d/a.json: checks.disk.subscribers: must contain at least one subscription, unless standalone is true',
  },
  {
    name: 'a user without a password',
    files: { 'conf.d/a.json': { api: { user: 'ops' } } },
    problem: 'conf.d/a.json: api.password: is required with user',
  },
  {
    name: 'a password without a user',
    files: { 'conf.d/a.json': { api: { password: 'secret' } } },
    problem: 'conf.d/a.json: api.user: is required with password',
  },
  {
    name: 'CORS that is neither headers nor false',
    files: { 'conf.d/a.json': { api: { cors: true } } },
    problem: 'conf.d/a.json: api.cors: expected an object of headers, or false',
  },
])('$name is rejected with the file, the path and a remedy', async ({ files, problem }) => {
  expect(await failure(load(files))).toBe(`the configuration has 1 problem:\n  ${problem}`);
});

test('configuration files may be empty and contain comments, control characters and inexact numbers', async () => {
  const { settings, warnings } = await load({
    'conf.d/a.json': '',
    'conf.d/b.json': ' \n',
    'conf.d/c.yml': '# nothing yet\n',
    'conf.d/d.json':
      '// of the web\n{"checks": {"disk": {"command": "df\t/", "subscribers": ["a"], "interval": 60, /* */\n"id": 12345678901234567890, "load": NaN}}}',
  });
  expect(settings).toEqual({
    checks: {
      disk: { command: 'df\t/', subscribers: ['a'], interval: 60, id: 12_345_678_901_234_567_000, load: null },
    },
  });
  expect(warnings.map((warning) => warning.slice(warning.indexOf('conf.d')))).toEqual([
    'conf.d/d.json, line 3, column 7: this number is too large: the nearest that can be kept is used instead; put it in double quotes',
    'conf.d/d.json, line 3, column 37: this is not a number in JSON: null is used instead; write a number, or remove it',
  ]);
});

test('an invalid port in the environment of the backend is rejected', async () => {
  expect(await failure(load({}, { MON_PORT: 'http' }))).toBe(
    'the configuration has 1 problem:\n  environment: api.port: expected number, received string',
  );
});

test('all configuration problems are reported together, each with the last file that sets the value', async () => {
  const problems = await failure(
    load({
      'conf.d/a.json': { checks: { disk: { ...disk, interval: 0 }, load: disk } },
      'conf.d/b.json': { checks: { disk: { timeout: '9' }, load: { publish: 'no' } }, mutators: { wrap: 1 } },
    }),
  );
  expect(problems.split('\n').slice(1).toSorted()).toEqual([
    '  conf.d/a.json: checks.disk.interval: expected number to be >0',
    '  conf.d/b.json: checks.disk.timeout: expected number, received string',
    '  conf.d/b.json: checks.load.publish: expected boolean, received string',
    '  conf.d/b.json: mutators.wrap: must be an object',
  ]);
});

test('all unreadable configuration files are reported together', async () => {
  write({ 'main.json': '{', 'conf.d/a.json': '[', 'conf.d/b.json/c.json': '{}' });
  const directories = ['conf.d', 'none', 'main.json'].map((name) => join(root, name));
  expect(await failure(loadConfig({ file: join(root, 'conf.d'), directories, env: {} }))).toBe(
    [
      'the configuration has 4 problems:',
      'conf.d: is a directory; give it with -d',
      'conf.d/a.json, line 1, column 2: the text ends where a value is expected',
      'none: there is no such file or directory; create it, or correct the path',
      'main.json: is not a directory; give a single file with -c',
    ].join('\n  '),
  );
});

test('a configuration file without read permission is reported', async () => {
  write({ 'conf.d/a.json': {} });
  chmodSync(join(root, 'conf.d/a.json'), 0o000);
  // Root can read everything, so for root there is no error.
  const expected =
    process.getuid?.() === 0
      ? 'it was accepted'
      : 'the configuration has 1 problem:\n  conf.d/a.json: cannot be read by this user; change its permissions or its owner';
  const answer = load({}).then(
    () => 'it was accepted',
    (error: unknown) => errorMessage(error).replaceAll(`${root}/`, ''),
  );
  expect(await answer).toBe(expected);
});

test('a configuration directory of Sensu Core loads unchanged', async () => {
  const config = await loadConfig({ directories: ['test/conformance/data/'], env: {} });
  // Sensu loads this configuration as well, and reports these mistakes only when an event occurs.
  expect(config.warnings).toEqual([
    `test/conformance/data/settings.json: checks.proxy_check.command: ${SHELL_TOKENS_WARNING}`,
    `test/conformance/data/settings.json: checks.proxy_unmatched.command: ${SHELL_TOKENS_WARNING}`,
    'test/conformance/data/settings.json: handlers.nofilter: refers to the filter "does_not_exist", which is not defined',
    'test/conformance/data/settings.json: handlers.nomut: refers to the mutator "missing_mutator", which is not defined',
    'test/conformance/data/settings.json: handlers.deepergroup: handler sets cannot be deeply nested: a set that is two levels below this set is ignored',
  ]);
  expect([...config.checks.keys()]).toEqual([
    'sub_check',
    'merge_check',
    'proxy_check',
    'proxy_unmatched',
    'standalone_check',
    'cron_check',
    'subdued_check',
  ]);
  expect(config.checks.get('merge_check')).toEqual({
    command: 'echo merge; exit 1',
    interval: 30,
    subscribers: ['base'],
    publish: false,
    handlers: ['file'],
    occurrences: 2,
    team: 'ops',
    secret: 'hunter2',
  });
  expect([config.handlers.size, config.filters.size, config.mutators.size]).toEqual([25, 3, 2]);
});
