import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { InvalidSettings } from '../../../../daemon/settings/locate-remark.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/** An invalid configuration, and its problems as `--validate-config` prints them. */
interface Broken {
  readonly name: string;
  /** File contents by path. Strings are written unchanged, other values as JSON. */
  readonly files: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly problems: readonly object[];
}

const disk = { command: 'check-disk', subscribers: ['base'], interval: 60 };

/** Returns a configuration whose only problem is in the check `disk`. */
const inCheck = (name: string, attributes: object, path: string, message: string): Broken => ({
  name,
  files: { 'checks.json': { checks: { disk: { ...disk, ...attributes } } } },
  problems: [{ file: 'checks.json', path: `checks.disk${path}`, message }],
});

const inHandler = (name: string, handler: unknown, path: string, message: string): Broken => ({
  name,
  files: { 'handlers.json': { handlers: { mail: handler } } },
  problems: [{ file: 'handlers.json', path: `handlers.mail${path}`, message }],
});

const inFilter = (name: string, filter: object, path: string, message: string): Broken => ({
  name,
  files: { 'filters.json': { filters: { night: filter } } },
  problems: [{ file: 'filters.json', path: `filters.night${path}`, message }],
});

const inApi = (name: string, api: object, path: string, message: string): Broken => ({
  name,
  files: { 'api.json': { api } },
  problems: [{ file: 'api.json', path: `api.${path}`, message }],
});

/** Returns a configuration whose only problem is the syntax of one file. */
const inText = (name: string, file: string, text: string, line: number, column: number, message: string): Broken => ({
  name,
  files: { [file]: text },
  problems: [{ file, line, column, message }],
});

const BROKEN: readonly Broken[] = [
  // Invalid syntax.
  inText('a comma too much', 'a.json', '{\n  "checks": {},\n}', 2, 15, 'remove the comma before "}"'),
  inText('a comment of a shell', 'a.json', '{\n  # disks\n  "checks": {} }', 2, 3, 'a comment begins with // or /*'),
  inText('a name twice', 'a.json', '{"api": {},\n "api": {}}', 2, 2, 'the name "api" is defined twice: remove one'),
  inText('a name of the language', 'a.json', '{"__proto__": {}}', 1, 2, 'the field name "__proto__" is not allowed'),
  inText(
    'a name of the language, in YAML',
    'a.yml',
    'api:\n  constructor: 1',
    2,
    3,
    'the field name "constructor" is not allowed',
  ),
  inText('a name twice, in YAML', 'a.yml', 'api: {}\napi: {}', 2, 1, 'this name is defined twice: remove one'),
  inText(
    'a text with a colon',
    'a.yml',
    'checks:\n  a:\n    command: echo a: b',
    3,
    14,
    'there is a second ":" here: put a text that contains one in double quotes, and another name on its own line',
  ),
  inText(
    'a tag',
    'a.yml',
    'api:\n  port: !!js/function "x"',
    2,
    9,
    'tags are not allowed: remove what begins with "!"',
  ),
  inText(
    'a second document',
    'a.yml',
    'api: {}\n---\nchecks: {}',
    2,
    1,
    'a file contains only one document: remove what follows the "---"',
  ),
  inText(
    'an alias of nothing',
    'a.yml',
    'api: *nobody',
    1,
    6,
    'this alias has no anchor before it: put a text that begins with "*" in double quotes',
  ),
  inText(
    'an alias inside of what it names',
    'a.yml',
    'api: &all\n  more: *all',
    2,
    9,
    'this alias refers to a value that contains it: remove it',
  ),
  inText('aliases that multiply', 'a.yml', laughs(9), 1, 1, 'there are too many aliases: write their values instead'),
  inText(
    'a number that JSON lacks',
    'a.yaml',
    'api: {port: .inf}',
    1,
    13,
    'this number is too large: put it in double quotes',
  ),
  {
    name: 'a file without sections',
    files: { 'a.yml': '- api' },
    problems: [{ file: 'a.yml', message: 'must contain an object with sections such as "checks"' }],
  },
  // Invalid sections.
  {
    name: 'a section that is no object',
    files: { 'a.json': { checks: [disk] } },
    problems: [{ file: 'a.json', path: 'checks', message: 'must be an object that maps each name to its definition' }],
  },
  {
    name: 'a definition that is no object',
    files: { 'a.json': { mutators: { wrap: 'cat' } } },
    problems: [{ file: 'a.json', path: 'mutators.wrap', message: 'must be an object' }],
  },
  {
    name: 'a check with a space in its name',
    files: { 'a.json': { checks: { 'disk usage': disk } } },
    problems: [
      { file: 'a.json', path: 'checks.disk usage', message: 'must be word characters, dots and hyphens only' },
    ],
  },
  // Invalid checks.
  inCheck('an interval in quotes', { interval: '60' }, '.interval', 'expected number, received string'),
  inCheck('an interval of nothing', { interval: 0 }, '.interval', 'expected number to be >0'),
  inCheck(
    'neither interval nor cron',
    { interval: undefined },
    '.interval',
    'is required (seconds), unless publish is false or cron is set',
  ),
  inCheck(
    'no subscribers',
    { subscribers: undefined },
    '.subscribers',
    'must contain at least one subscription, unless standalone is true',
  ),
  inCheck(
    'half of the flap thresholds',
    { low_flap_threshold: 20 },
    '.high_flap_threshold',
    'is required with low_flap_threshold',
  ),
  inCheck('a source with a space', { source: 'switch 1' }, '.source', 'must be word characters, dots and hyphens only'),
  inCheck(
    'a step on a single minute',
    { cron: '5/10 * * * *' },
    '.cron',
    '"5/10" is not a minute: write *, 0 to 59, a range a-b, or a step */n or a-b/n with n up to 60',
  ),
  inCheck(
    'four fields of five',
    { cron: '0 0 * *' },
    '.cron',
    'must have five fields: minute, hour, day of the month, month, day of the week',
  ),
  inCheck(
    'a window on no day',
    { subdue: { days: { mondays: [{ begin: '1:00 AM', end: '2:00 AM' }] } } },
    '.subdue.days.mondays',
    'is not a day of the week: use one of all, sunday, monday, tuesday, wednesday, thursday, friday, saturday',
  ),
  inCheck(
    'a time of no day',
    { subdue: { days: { all: [{ begin: '25:00', end: '2:00 AM' }] } } },
    '.subdue.days.all.0.begin',
    'must be a time of day such as "5:00 PM" or "17:00"',
  ),
  inCheck(
    'a hook for no status',
    { hooks: { error: { command: 'ps' } } },
    '.hooks.error',
    'is not a hook name: use a status from 0 to 255, ok, warning, critical, unknown or non-zero',
  ),
  inCheck(
    'proxy requests over more than the interval',
    { proxy_requests: { client_attributes: { kind: 'switch' }, splay_coverage: 150 } },
    '.proxy_requests.splay_coverage',
    'expected number to be <=99',
  ),
  inCheck(
    'an aggregate with a space',
    { aggregates: ['web tier'] },
    '.aggregates.0',
    'must be word characters, dots, colons, bars and hyphens',
  ),
  // Invalid handlers, filters and mutators.
  inHandler(
    'a handler without type',
    { command: 'mail' },
    '.type',
    'must be one of pipe, tcp, udp, transport, webhook, email, set, escalation',
  ),
  inHandler(
    'a pipe without command',
    { type: 'pipe' },
    '.command',
    'must be a shell command, or a list of a program and its arguments',
  ),
  inHandler(
    'a socket without port',
    { type: 'tcp', socket: { host: 'graphite' } },
    '.socket.port',
    'expected number, received undefined',
  ),
  inHandler('a set of one text', { type: 'set', handlers: 'mail' }, '.handlers', 'expected array, received string'),
  inHandler(
    'a severity that does not exist',
    { type: 'udp', socket: { host: 'h', port: 1 }, severities: ['error'] },
    '.severities.0',
    'expected one of "ok"|"warning"|"critical"|"unknown"',
  ),
  inHandler(
    'a webhook to a file',
    { type: 'webhook', url: 'file:///etc/passwd' },
    '.url',
    'must be an http or https URL',
  ),
  inHandler('a webhook to nowhere', { type: 'webhook' }, '.url', 'is required for a webhook'),
  inHandler(
    'a preset without its key',
    { type: 'webhook', preset: 'pagerduty' },
    '.routing_key',
    'is required for the preset pagerduty',
  ),
  inHandler(
    'an unknown preset',
    { type: 'webhook', preset: 'irc', url: 'https://example.com' },
    '.preset',
    'expected one of "slack"|"mattermost"|"teams"|"pagerduty"|"opsgenie"|"jira-service-management"|"incident-io"|"grafana-irm"|"telegram"|"ntfy"',
  ),
  inHandler(
    'a key with a line end',
    { type: 'webhook', preset: 'opsgenie', api_key: 'a\r\nHost: b' },
    '.api_key',
    'must be visible ASCII without spaces',
  ),
  inHandler(
    'templates for the event as JSON',
    { type: 'webhook', url: 'https://example.com', templates: { text: 'x' } },
    '.templates',
    'is only allowed with preset: without preset, use a mutator',
  ),
  inHandler(
    'details of the event as JSON',
    { type: 'webhook', url: 'https://example.com', details: ['client.datacenter'] },
    '.details',
    'is only allowed with preset: without preset, the event has all attributes',
  ),
  inHandler(
    'details that could show a secret',
    { type: 'webhook', preset: 'ntfy', topic: 'alerts', details: ['client.api_token'] },
    '.details.0',
    'would reveal a secret: use another attribute',
  ),
  inHandler(
    'a mail to two addresses in one text',
    { type: 'email', smtp: { host: 'mx' }, from: 'mon@example.com', to: 'a@example.com, b@example.com' },
    '.to',
    'must be an address, or a name with an address in < >',
  ),
  inHandler(
    'a mail with a header in its sender',
    { type: 'email', smtp: { host: 'mx' }, from: 'a@example.com\r\nBcc: b@example.com', to: 'a@example.com' },
    '.from',
    'must be an address, or a name with an address in < >',
  ),
  inHandler(
    'a password that everybody on the way could read',
    {
      type: 'email',
      smtp: { host: 'mx', tls: 'opportunistic', user: 'mon', password: 'x' },
      from: 'mon@example.com',
      to: 'ops@example.com',
    },
    '.smtp.tls',
    'must be implicit or starttls with a password',
  ),
  inHandler(
    'a pipe of an unknown kind',
    { type: 'transport', pipe: { type: 'queue', name: 'events' } },
    '.pipe.type',
    'expected one of "direct"|"fanout"|"topic"',
  ),
  inHandler(
    'a pipe into a file of the working directory',
    { type: 'transport', pipe: { type: 'topic', name: 'events', options: { file: 'events.jsonl' } } },
    '.pipe.options.file',
    'must be an absolute path',
  ),
  inHandler(
    'a pipe into a socket without port',
    { type: 'transport', pipe: { type: 'topic', name: 'events', options: { socket: 'graphite' } } },
    '.pipe.options.socket',
    'must be an absolute path or host:port',
  ),
  inHandler(
    'a header that ends another one',
    { type: 'webhook', url: 'https://example.com', headers: { 'X-Token': 'a\r\nHost: b' } },
    '.headers.X-Token',
    'must be the value of a header: one line',
  ),
  inHandler(
    'a header that is not for a definition to set',
    { type: 'webhook', url: 'https://example.com', headers: { 'X-Mon-Signature': 'mine' } },
    '.headers.X-Mon-Signature',
    'is set by the backend itself',
  ),
  {
    name: 'invalid networks of handlers',
    files: { 'networks.json': { 'handler-networks': ['10.0.0.0/8', '10.1.1.1', 'fd00::/129', 'intranet'] } },
    problems: [1, 2, 3].map((index) => ({
      file: 'networks.json',
      path: `handler-networks.${String(index)}`,
      message: 'must be a network like 10.1.0.0/16 or fd00::/8',
    })),
  },
  ...[
    ['mon.example.com', 'must be an http or https URL'],
    [
      'https://mon:hunter2@mon.example.com',
      'must not contain a user name or a password: everybody who gets a notification sees it',
    ],
    ['https://mon.example.com/?a=b', 'must not contain ? or #'],
  ].map(([url, message = '']) => ({
    name: `the public URL ${String(url)}`,
    files: { 'links.json': { 'public-url': url } },
    problems: [{ file: 'links.json', path: 'public-url', message }],
  })),
  {
    name: 'a switch that is neither on nor off',
    files: { 'silences.json': { 'renotify-after-silence': 'yes' } },
    problems: [
      {
        file: 'silences.json',
        path: 'renotify-after-silence',
        message: 'expected boolean, received string',
      },
    ],
  },
  inFilter('a filter without attributes', { negate: true }, '.attributes', 'expected record, received undefined'),
  {
    name: 'a mutator without command',
    files: { 'm.json': { mutators: { wrap: { timeout: 5 } } } },
    problems: [
      {
        file: 'm.json',
        path: 'mutators.wrap.command',
        message: 'must be a shell command, or a list of a program and its arguments',
      },
    ],
  },
  {
    name: 'a client with a bad threshold',
    files: { 'client.json': { client: { name: 'web 1', keepalive: { thresholds: { warning: -1 } } } } },
    problems: [
      { file: 'client.json', path: 'client.name', message: 'must be word characters, dots and hyphens only' },
      { file: 'client.json', path: 'client.keepalive.thresholds.warning', message: 'expected number to be >0' },
    ],
  },
  // Invalid settings of the API and the program.
  inApi('half of the credentials', { user: 'ops' }, 'password', 'is required with user'),
  inApi(
    'a user with a colon',
    { user: 'o:ps', password: 'x' },
    'user',
    'must not contain a colon, because it ends the user name in HTTP Basic',
  ),
  inApi(
    'a hash that is cut off',
    { user: 'ops', password: 'scrypt$32768$8$3$abc' },
    'password',
    'is not a valid hash: create one with mon-backend hash-password',
  ),
  inApi(
    'a hash that costs too much',
    { user: 'ops', password: `scrypt$4194304$32$1$${'s'.repeat(22)}$${'h'.repeat(43)}` },
    'password',
    'is not a valid hash: create one with mon-backend hash-password',
  ),
  inApi('a port beyond all ports', { port: 65_536 }, 'port', 'expected number to be <=65535'),
  inApi('CORS that is neither headers nor false', { cors: true }, 'cors', 'expected an object of headers, or false'),
  {
    name: 'an unknown log level',
    files: { 'backend.yml': 'log-level: chatty\n' },
    problems: [
      { file: 'backend.yml', path: 'log-level', message: 'expected one of "debug"|"info"|"warn"|"error"|"fatal"' },
    ],
  },
  {
    name: 'an invalid port in the environment',
    files: {},
    env: { MON_PORT: 'http' },
    problems: [{ file: 'environment', path: 'api.port', message: 'expected number, received string' }],
  },
];

/** Returns YAML in which each line contains the previous one nine times. */
function laughs(lines: number): string {
  const names = Array.from({ length: lines }, (_, at) => `a${String(at)}`);
  return names
    .map(
      (name, at) =>
        `${name}: &${name} [${at === 0 ? '1' : Array.from({ length: 9 }, () => `*a${String(at - 1)}`).join(', ')}]`,
    )
    .join('\n');
}

async function writeFiles(files: Broken['files']): Promise<string> {
  const dir = await tempDir();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
}

test.each(BROKEN)(
  'a broken configuration is rejected with its problems: $name',
  async ({ files, env = {}, problems }) => {
    const dir = await writeFiles(files);
    const error = await loadConfig({ directories: [dir], env }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidSettings);
    const text = JSON.stringify((error as InvalidSettings).problems).replaceAll(`${dir}/`, '');
    expect(JSON.parse(text)).toEqual(problems);
  },
);

const LEFT_OUT = 'this filter is ignored, so the handlers that use it get all events: fix the filter';
const FOR_NOBODY = 'so it matches no client and the check never runs: fix it';

// Definitions that Sensu accepts although they make no sense cause a warning, and are rejected only on request.
describe.each<Broken>([
  inCheck(
    'a date that never comes',
    { cron: '0 0 31 2 *' },
    '.cron',
    'never occurs: there is no day 31 in month 2, so the check runs only on request: fix or remove it',
  ),
  inFilter(
    'an endless expression',
    { attributes: { check: { status: `eval: ${'value == 1 || '.repeat(100)}` } } },
    '.attributes.check.status',
    `an expression has at most 1024 characters: shorten it (character 1030); ${LEFT_OUT}`,
  ),
  inFilter(
    'an expression that would run a program',
    { attributes: { check: { output: 'eval: system(value)' } } },
    '.attributes.check.output',
    `there is no "system": use value, a token such as :::check.name:::, or quote a text (character 7); ${LEFT_OUT}`,
  ),
  inCheck(
    'an expression that ends too early',
    { proxy_requests: { client_attributes: { kind: 'eval: value ==' } } },
    '.proxy_requests.client_attributes.kind',
    `a value is missing here (character 15); ${FOR_NOBODY}`,
  ),
  inCheck(
    'an expression of the v2 API that ends too early',
    { proxy_requests: { client_attributes: {}, entity_attributes: ['entity.name =='] } },
    '.proxy_requests.entity_attributes',
    `the expression "entity.name ==" is invalid at character 15: a value is missing here; ${FOR_NOBODY}`,
  ),
])('a configuration with $name', ({ files, problems }) => {
  test('a configuration with this problem loads with a warning', async () => {
    const dir = await writeFiles(files);
    const { warnings, checks, filters } = await loadConfig({ directories: [dir], env: {} });
    const [{ file, path, message }] = problems as readonly [{ file: string; path: string; message: string }];
    expect(warnings.map((line) => line.replaceAll(`${dir}/`, ''))).toContain(`${file}: ${path}: ${message}`);
    expect([...checks.keys(), ...filters.keys()]).toEqual(file === 'checks.json' ? ['disk'] : []);
  });

  test('a configuration with this problem is rejected in strict mode', async () => {
    const dir = await writeFiles(files);
    await expect(loadConfig({ directories: [dir], env: {}, isStrict: true })).rejects.toThrow(InvalidSettings);
  });
});
