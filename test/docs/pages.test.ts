/** @module-tag slow */
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placesEnv } from '../support/administrator.ts';
import { builtProgram } from '../support/built-programs.ts';
import { DocumentedShell } from '../support/documented-shell.ts';
import { Pty } from '../support/pty.ts';
import { repositoryFiles, repositoryText } from '../support/repository.ts';
import { blocksOf, fileOf } from './blocks.ts';
import { freePort } from '../../scripts/lib/free-port.ts';
import { HttpReceiver } from '../support/http-receiver.ts';
import { openMailServer } from '../support/mail-server.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { PATIENCE } from '../support/patience.ts';
import { OidcIssuer } from '../support/oidc-issuer.ts';
import { openPrefixProxy } from '../support/prefix-proxy.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { startPostgres } from '../../scripts/lib/postgres-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { followPage, isOutput, missingLine, UNTESTED } from './follow-page.ts';

/** The timeout for one page. A page starts many programs, each of which may be slow on a busy machine. */
const TIMEOUT_MS = 4 * PATIENCE.timeout;

/** The pages whose commands and configurations are all executed. */
const PAGES = repositoryFiles('docs/tutorial.md', 'docs/how-to/*.md');

/** The configuration of a client of Sensu Core, for the page about the migration. */
const SENSU_CORE = {
  client: { name: 'web-1', address: '10.0.0.1', subscriptions: ['web'] },
  checks: { http: { command: 'echo connection refused; exit 2', standalone: true, interval: 1 } },
};

function pageOf(name: string): string {
  return repositoryText(`docs/how-to/${name}.md`);
}

describe.each([...PAGES])('%s', (_name, text) => {
  test('the page says for every code block how it is tested or why it is not tested', () => {
    const blocks = blocksOf(text);
    const reasons = blocks.flatMap(({ attributes: { untested } }) => (untested === undefined ? [] : [untested]));
    expect(reasons.filter((reason) => !Object.hasOwn(UNTESTED, reason))).toEqual([]);
    const untried = blocks.filter(
      (block) =>
        block.language !== 'sh' && !isOutput(block) && fileOf(block) === undefined && !('untested' in block.attributes),
    );
    expect(untried.map(({ line }) => line)).toEqual([]);
  });
});

test(
  'the steps of docs/tutorial.md work from an empty machine to a silenced alert and its removal',
  { timeout: TIMEOUT_MS },
  async () => {
    await using shell = await DocumentedShell.open();
    await followPage(PAGES.get('docs/tutorial.md') ?? '', shell, async (command, shown) => {
      expect(command).toBe('mon');
      await using pty = new Pty(process.execPath, [builtProgram('mon')], { env: shell.env });
      await pty.waitFor((screen) => missingLine(shown, screen) === undefined, shown.join('\n'));
      pty.write('q');
      expect(await pty.exited).toMatchObject({ exitCode: 0 });
    });
  },
);

test(
  'the steps of docs/how-to/behind-a-proxy.md connect every program through a proxy with a path',
  { timeout: TIMEOUT_MS },
  async () => {
    let port = 0;
    await using proxy = await openPrefixProxy('/mon', () => port);
    await using shell = await DocumentedShell.open({ 'https://mon.example.org/mon': proxy.url });
    ({ port } = shell);
    expect(await followPage(pageOf('behind-a-proxy'), shell)).toBeGreaterThan(3);
  },
);

test('the steps of docs/how-to/backup.md restore all data', { timeout: TIMEOUT_MS }, async () => {
  await using shell = await DocumentedShell.open({ '4999': String(await freePort()) });
  await shell.write('/etc/mon/conf.d/checks.yml', 'checks: {}');
  await shell.run('mon-backend start --state-dir state --log backend.log &');
  await shell.until('monctl result submit web-1 disk crit full');
  expect(await followPage(pageOf('backup'), shell)).toBeGreaterThan(3);
});

test(
  'the steps of docs/how-to/from-sensu-core.md load a configuration of Sensu Core',
  { timeout: TIMEOUT_MS },
  async () => {
    await using shell = await DocumentedShell.open();
    await shell.write('/etc/sensu/config.json', JSON.stringify({ rabbitmq: { host: 'mq' }, redis: { host: 'redis' } }));
    await shell.write('/etc/sensu/conf.d/client.json', JSON.stringify(SENSU_CORE));
    expect(await followPage(pageOf('from-sensu-core'), shell)).toBeGreaterThan(3);
  },
);

test(
  'a backend set up with docs/how-to/from-alertmanager.md receives alerts of Prometheus',
  { timeout: TIMEOUT_MS },
  async () => {
    await using shell = await DocumentedShell.open();
    expect(await followPage(pageOf('from-alertmanager'), shell)).toBeGreaterThan(3);
  },
);

test(
  'the steps of docs/how-to/one-page-for-one-trouble.md work during an alert storm',
  { timeout: TIMEOUT_MS },
  async () => {
    await using shell = await DocumentedShell.open();
    expect(await followPage(pageOf('one-page-for-one-trouble'), shell)).toBeGreaterThan(3);
  },
);

// The steps of these pages need only the programs of this project.
test.each([
  { page: 'write-a-check', outcome: 'run a check until it fails' },
  { page: 'page-only-once', outcome: 'notify a handler once for a problem and once for its resolution' },
  { page: 'acknowledge-and-hand-over', outcome: 'acknowledge an event and report on it' },
  { page: 'on-call-schedule', outcome: 'notify the person on call, and swap a shift' },
  { page: 'plan-maintenance', outcome: 'create silences that begin later, recur, and end with a command' },
  { page: 'silence-a-rack', outcome: 'silence present and future events of a rack' },
  { page: 'dependencies', outcome: 'suppress the consequences of a failure' },
])('the steps of the guide $page $outcome', { timeout: TIMEOUT_MS }, async ({ page }) => {
  await using shell = await DocumentedShell.open();
  expect(await followPage(pageOf(page), shell)).toBeGreaterThan(3);
});

test(
  'the steps of docs/how-to/add-a-host.md connect an agent over TLS with a key',
  { timeout: TIMEOUT_MS },
  async () => {
    await using shell = await DocumentedShell.open({ 'mon.example.org': 'localhost' });
    await shell.run('mkdir -p /etc/mon');
    expect(await followPage(pageOf('add-a-host'), shell)).toBeGreaterThan(3);
  },
);

test('the steps of docs/how-to/use-a-nagios-plugin.md run a plugin', { timeout: TIMEOUT_MS }, async () => {
  const plugins = await tempDir();
  const output = 'DISK OK - free space: / 5200 MB (52%); | /=4800MB;8000;9000;0;10000';
  await writeFile(join(plugins, 'check_disk'), `#!/bin/sh\necho '${output}'\n`, { mode: 0o755 });
  await using shell = await DocumentedShell.open({ '/usr/lib/nagios/plugins': plugins });
  expect(await followPage(pageOf('use-a-nagios-plugin'), shell)).toBeGreaterThan(3);
});

test.each([
  { page: 'notify-slack', service: 'https://hooks.slack.com' },
  { page: 'notify-pagerduty', service: 'https://events.pagerduty.com' },
  { page: 'notify-teams', service: 'https://example.logic.azure.com' },
  { page: 'notify-ntfy', service: 'https://ntfy.sh' },
])(
  'the steps of the guide $page send a test, one notification of a problem, and its resolution',
  { timeout: TIMEOUT_MS },
  async ({ page, service }) => {
    const receiver = await HttpReceiver.open();
    await using shell = await DocumentedShell.open({ [service]: new URL(receiver.url).origin });
    expect(await followPage(pageOf(page), shell)).toBeGreaterThan(3);
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(3);
  },
);

test(
  'a message of the handler in docs/how-to/acknowledge-from-chat.md has a button that acknowledges the problem',
  { timeout: TIMEOUT_MS },
  async () => {
    const receiver = await HttpReceiver.open();
    await using shell = await DocumentedShell.open({ 'https://hooks.slack.com': new URL(receiver.url).origin });
    expect(await followPage(pageOf('acknowledge-from-chat'), shell)).toBeGreaterThan(3);
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(1);
    const [, value = ''] = /"action_id":"acknowledge".*?"value":"([^"]+)"/.exec(receiver.received[0]?.body ?? '') ?? [];
    const click = {
      type: 'block_actions',
      user: { id: 'U012AB3CD' },
      response_url: receiver.url,
      actions: [{ value }],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(click) }).toString();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const hash = createHmac('sha256', 'change-me-signing-secret').update(`v0:${timestamp}:${body}`).digest('hex');
    const { output: token } = await shell.run("sed -n 's/.*callback_token: //p' conf.d/chat.yml");
    const url = `http://127.0.0.1:${String(shell.port)}/api/mon/v1/hooks/slack/${token.trim()}`;
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${hash}` };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    expect(await shell.run('monctl event list -q owner=ada')).toMatchObject({
      output: expect.stringContaining('web-1') as string,
    });
  },
);

test(
  'the steps of docs/how-to/notify-by-mail.md send a test, one mail about a problem, and its resolution',
  { timeout: TIMEOUT_MS },
  async () => {
    const certificate = makeCertificate('localhost', { names: ['localhost'] });
    const trusted = join(await tempDir(), 'trusted.pem');
    await writeFile(trusted, certificate.cert);
    const { mails, port } = await openMailServer({
      ...certificate,
      authOptional: false,
      disabledCommands: [],
      onAuth: (_credentials, _session, done) => done(null, { user: 'mon' }),
    });
    await using shell = await DocumentedShell.open(
      { 'smtp.example.com, port: 587': `localhost, port: ${String(port)}` },
      { NODE_EXTRA_CA_CERTS: trusted },
    );
    expect(await followPage(pageOf('notify-by-mail'), shell)).toBeGreaterThan(3);
    await expect.poll(() => mails.length, PATIENCE).toBe(3);
    expect(mails.every(({ isSecure }) => isSecure)).toBe(true);
  },
);

test('the steps of docs/how-to/from-sensu-go.md restore a dump of Sensu Go', { timeout: TIMEOUT_MS }, async () => {
  await using shell = await DocumentedShell.open({ '8080': '0', '8081': '0' });
  await shell.write('sensu-dump.yml', repositoryText('test/support/sensu-go-cluster.yml'));
  expect(await followPage(pageOf('from-sensu-go'), shell)).toBeGreaterThan(3);
});

test(
  'the steps of docs/how-to/high-availability.md set up backends that survive the loss of one backend',
  { timeout: TIMEOUT_MS },
  async () => {
    await using postgres = await startPostgres();
    const store = await postgres.database();
    const stateDir = await tempDir();
    const start = (name: string): Promise<DaemonProcess> =>
      startDaemon({ stateDir: join(stateDir, name), args: ['--store', store] });
    await using first = await start('first');
    await using second = await start('second');
    await using shell = await DocumentedShell.open(
      {
        'https://mon-1.example.org:4567': first.url,
        'https://mon-2.example.org:4567': second.url,
      },
      placesEnv(),
    );
    expect(await followPage(pageOf('high-availability'), shell)).toBeGreaterThan(3);
  },
);

// These pages start from an empty directory, and their steps need nothing else.
test.each([
  { page: 'dead-mans-switch', outcome: 'open an event when a report is missing' },
  { page: 'aggregate-alert', outcome: 'open an event when too many members of an aggregate fail' },
  { page: 'proxy-checks', outcome: 'report results for devices without an agent' },
  { page: 'monitor-mon', outcome: 'show the health and the metrics of the backend' },
  { page: 'size-a-machine', outcome: 'configure valid limits' },
  { page: 'harden', outcome: 'create an administrator, users and limited keys' },
  { page: 'from-nagios', outcome: 'replace a service and a passive check' },
  { page: 'containers', outcome: 'start a backend that answers a readiness probe' },
  { page: 'ansible-and-terraform', outcome: 'load definitions from files and objects' },
])('the steps of the how-to page $page $outcome', { timeout: TIMEOUT_MS }, async ({ page }) => {
  await using shell = await DocumentedShell.open({ '0.0.0.0': '127.0.0.1' });
  expect(await followPage(pageOf(page), shell)).toBeGreaterThan(1);
});

test('the steps of docs/how-to/single-sign-on.md log a user in and out', { timeout: TIMEOUT_MS }, async () => {
  const issuer = await OidcIssuer.open({ confirms: 'subject-1' });
  issuer.accounts.set('subject-1', { groups: ['sre'], preferred_username: 'ada' });
  await using shell = await DocumentedShell.open({ 'https://id.example.org': issuer.url });
  expect(await followPage(pageOf('single-sign-on'), shell)).toBeGreaterThan(5);
});

test.each([
  { page: 'troubleshoot', outcome: 'show the causes of symptoms' },
  { page: 'upgrade', outcome: 'find a store that is up to date' },
])('the steps of the how-to page $page $outcome on a running backend', { timeout: TIMEOUT_MS }, async ({ page }) => {
  await using shell = await DocumentedShell.open();
  await shell.run('mon-backend start --state-dir /var/lib/mon/mon-backend --log backend.log &');
  await shell.until('monctl result submit web-1 disk crit full');
  expect(await followPage(pageOf(page), shell)).toBeGreaterThan(3);
});

test('a shell and systemd read the environment file of docs/how-to/high-availability.md alike', async () => {
  await using shell = await DocumentedShell.open();
  await shell.write('/etc/mon/backend.yml', '');
  const made = blocksOf(pageOf('high-availability')).find(({ text }) => text.includes('> /etc/mon/backend.env'));
  await shell.run(made?.text ?? '');
  const { output } = await shell.run('set -a; . /etc/mon/backend.env; printenv MON_STORE');
  expect(output).toMatch(/^postgres:.*@.*,.*\/mon\?sslmode=verify-full&sslrootcert=\S+\n$/);
});

test.each([
  { expected: ['NAME  SUBSCRIPTIONS', 'web-1  ...  web'], output: 'NAME   X  SUBSCRIPTIONS\nweb-1  -  all, web\n' },
  { expected: ['b'], output: 'a\nb\nc' },
  { expected: ['b', 'a'], output: 'a\nb\nc', missing: 'a' },
  { expected: ['web-1  crit'], output: 'crit  web-1', missing: 'web-1  crit' },
])(
  'the output check finds the lines $expected in $output and reports $missing as missing',
  ({ expected, output, missing }) => {
    expect(missingLine(expected, output)).toBe(missing);
  },
);
