import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import type { AcknowledgementRow } from '../../../shared/schemas/acknowledgement.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({ batcher: { lingerMs: 0 } });
  api = openApiClient({ backend: backend.url });
  await api.saveClient({ name: 'web-1', address: '10.0.0.1', subscriptions: ['web'] });
  await api.submitResult({ name: 'disk', source: 'web-1', output: 'full', status: 2 });
  await api.submitResult({ name: 'load', source: 'web-1', output: 'high, very', status: 1 });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const monctl = (...args: readonly string[]): Promise<MonctlRun> =>
  runMonctl([...args, '--backend', backend.url], { USER: 'alice' });

describe('short forms of silences', () => {
  test('monctl ack acknowledges an event with a note, and unack removes the acknowledgement', async () => {
    expect(await monctl('ack', 'web-1', 'load', '-m', 'looking')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^acknowledged web-1\/load as alice@\S+ until it resolves\n$/) as string,
    });
    expect(await api.event('web-1', 'load')).toMatchObject({ acknowledged: { note: 'looking' } });
    expect((await monctl('ack', 'web-1', 'load', '--dry-run')).stdout).toMatch(
      /web-1\/load, WARN \(1\), would be acknowledged\nit would replace the acknowledgement of alice@/,
    );
    expect((await monctl('unack', 'web-1', 'load')).stdout).toBe('removed the acknowledgement of web-1/load\n');
    expect(await monctl('unack', 'web-1', 'load')).toMatchObject({
      code: 3,
      stderr: 'monctl: web-1/load is not acknowledged\n',
    });
    expect(await monctl('unack', 'web-1', 'load', '--dry-run')).toMatchObject({ code: 3 });
  });

  test('monctl ack --filter acknowledges all events that match now, and its dry run lists them', async () => {
    const line = ['ack', '--filter', 'client=web-1', '-m', 'looking'];
    expect(await monctl(...line, '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('web-1/load, WARN (1), would be acknowledged') as string,
    });
    expect((await api.event('web-1', 'load'))?.acknowledged).toBeUndefined();
    expect(await monctl(...line)).toMatchObject({ code: 0, stdout: 'acknowledged 2 events\n' });
    for (const check of ['disk', 'load']) {
      expect(await api.event('web-1', check)).toMatchObject({ acknowledged: { note: 'looking' } });
      await api.unacknowledge('web-1', check);
    }
    expect(await monctl('ack', '--filter', 'client=none')).toMatchObject({ code: 3 });
    expect(await monctl('ack', 'web-1', 'disk', '--filter', 'disk')).toMatchObject({ code: 2 });
    expect(await monctl('ack', 'web-1')).toMatchObject({ code: 2 });
  });

  test('monctl ack --for sets an end, and asks for the unit of a number', async () => {
    const run = await monctl('ack', 'web-1', 'disk', '--for', '4h', '--sticky', '-o', 'json');
    const row = JSON.parse(run.stdout) as AcknowledgementRow;
    expect(row).toMatchObject({ client: 'web-1', check: 'disk', sticky: true });
    expect((row.expires_at ?? 0) - row.acknowledged_at).toBeCloseTo(4 * 3600, -1);
    await api.unacknowledge('web-1', 'disk');
    expect(await monctl('ack', 'web-1', 'disk', '--for', '4h', '--until', '22:00')).toMatchObject({ code: 2 });
    expect(await monctl('ack', 'web-1', 'disk', '--for', '30')).toMatchObject({
      code: 2,
      stderr: 'monctl: --for 30 of what? write 30m for minutes, 30h for hours or 30s for seconds\n',
    });
    expect(await monctl('ack', 'web-1', 'nope')).toMatchObject({ code: 3 });
  });

  test.each([
    ['web-1', 'client:web-1:*'],
    ['web-1/disk', 'client:web-1:disk'],
    ['subscription:rack:r20', 'rack:r20:*'],
    ['subscription:web/disk', 'web:disk'],
    ['check:disk', '*:disk'],
  ])('monctl silence 2h %s creates the silence %s', async (target, id) => {
    expect((await monctl('silence', '2h', target, '-m', 'CHG-1')).code).toBe(0);
    expect(await api.silencedDetail(id)).toMatchObject({ id, reason: 'CHG-1', expire: 7200 });
    await api.clearSilenced({ id });
  });

  test('the target of monctl silence may be a search, which is shown in place of its id', async () => {
    const { stdout } = await monctl('silence', '2h', 'search:subscriptions=rack:r20');
    expect(stdout).toMatch(/^silenced search subscriptions=rack:r20 until 20/);
    const listed = await monctl('silence', 'list');
    expect(listed.stdout).toContain('search subscriptions=rack:r20');
    expect(listed.stdout).not.toContain('selector-');
    expect(JSON.parse((await monctl('silence', 'ls', '-o', 'json')).stdout)).toMatchObject([
      { id: expect.stringMatching(/^selector-/) as string },
    ]);
    expect((await monctl('audit', 'list', '--action', 'silence.create', '--limit', '1')).stdout).toContain(
      'search subscriptions=rack:r20',
    );
    const shown = await monctl('silenced', 'show', 'search subscriptions=rack:r20');
    expect(shown.stdout).toMatch(/^search +subscriptions=rack:r20$/m);
    expect(await monctl('silence', 'rm', 'search subscriptions=rack:r20')).toMatchObject({ code: 0 });
  });

  test.each(['web-1/', '/disk', 'a/b/c', 'check:', 'check:a/b', 'search:'])('%s is no target', async (target) => {
    expect(await monctl('silence', '2h', target)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a target: write CLIENT, CLIENT/CHECK') as string,
    });
  });

  test.each([
    [['silence', '30', 'web-1'], 'DURATION 30 of what? write 30m for minutes, 30h for hours or 30s for seconds'],
    [['silence', 'lst'], 'TARGET is missing: use monctl silence DURATION TARGET'],
    [['silence', 'lst', 'web-1'], 'monctl silence lst is no command: did you mean monctl silence list?'],
    [['watch'], 'watch is a command of the console: use mon watch, or monctl event list --watch'],
    [['akc', 'web-1', 'disk'], 'monctl akc is no command: did you mean monctl ack?'],
  ])('monctl %j is answered in one line', async (args, message) => {
    expect(await monctl(...args)).toEqual({ code: 2, stdout: '', stderr: `monctl: ${message}\n` });
  });

  test('a dry run of a silence says whether it would create or replace', async () => {
    const dryRun = async (): Promise<string> => (await monctl('silence', '2h', 'check:swap', '--dry-run')).stdout;
    expect(await dryRun()).toContain('the silence *:swap would be created');
    await monctl('silence', '2h', 'check:swap');
    expect(await dryRun()).toMatch(/the silence \*:swap of alice@\S+ would be replaced/);
    await api.clearSilenced({ id: '*:swap' });
  });

  test('monctl silence list shows clock times beside the remaining time', async () => {
    await api.silence({ check: 'swap', expire: 7200 });
    const { stdout } = await monctl('silence', 'list');
    expect(stdout).toMatch(/ in 1w\d+d, \d\d-\d\d \d\d:\d\dZ {2}/);
    expect(stdout).toMatch(/ unknown *$/m);
    await api.clearSilenced({ id: '*:swap' });
  });
});

const list = async (...args: readonly string[]): Promise<string> =>
  (await monctl('event', 'list', '--sort', 'check', ...args)).stdout;

describe('output of lists', () => {
  test('an attribute of the JSON output can be a column and a sort field', async () => {
    const { stdout } = await monctl('event', 'list', '--columns', 'check,client.address', '--sort', '-check');
    expect(stdout).toBe('CHECK  CLIENT.ADDRESS\nload   10.0.0.1\ndisk   10.0.0.1\n');
  });

  test('a column that does not exist is answered with the nearest one', async () => {
    expect(await monctl('event', 'list', '--columns', 'clinet')).toMatchObject({
      code: 2,
      stderr: 'monctl: there is no column or attribute "clinet": did you mean client?\n',
    });
    expect(await monctl('event', 'list', '--sort', 'client.nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the columns are status, client, check') as string,
    });
    expect(await monctl('event', 'list', '--columns', 'check', '-o', 'json')).toMatchObject({ code: 2 });
  });

  test('the formats csv, name, wide and jsonpath print the same rows', async () => {
    expect(await list('-o', 'name')).toBe('web-1/disk\nweb-1/load\n');
    expect(await list('-o', 'csv', '--columns', 'check,output')).toBe('check,output\ndisk,full\nload,"high, very"\n');
    expect(await list('-o', 'csv', '--columns', 'check,output', '--no-headers')).toBe('disk,full\nload,"high, very"\n');
    expect(await list('-o', 'jsonpath={[*].check.name}')).toBe('disk\nload\n');
    expect(await list('-o', 'wide')).toMatch(/^STATUS .* SINCE +SILENCED BY +OUTPUT\n/);
  });

  test('a command without rows rejects the formats of lists', async () => {
    expect(await monctl('client', 'info', 'web-1', '-o', 'csv')).toMatchObject({
      code: 2,
      stderr: 'monctl: --output must be table, json, yaml, jsonpath=PATH, not "csv"\n',
    });
    expect((await monctl('client', 'info', 'web-1', '-o', 'jsonpath=.address')).stdout).toBe('10.0.0.1\n');
  });

  test('monctl shows local time, and UTC with --utc', async () => {
    const zoned = await runMonctl(['event', 'info', 'web-1', 'disk', '--backend', backend.url], {});
    expect(zoned.stdout).toMatch(/^since +20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ /m);
    const begin = ['silence', '2h', 'web-1', '--begin', '22:00', '--dry-run', '-o', 'json', '--backend', backend.url];
    const folder = await configured('time-zone: America/New_York\n');
    const entry = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await runMonctl([...begin, ...args], { XDG_CONFIG_HOME: folder })).stdout);
    const tonight = NOW + 10 * 3600;
    expect(await entry()).toMatchObject({ request: { body: { begin: tonight + 5 * 3600 } } });
    expect(await entry('--utc')).toMatchObject({ request: { body: { begin: tonight } } });
  });
});

/** Creates a folder of configuration files that is removed after the test, and returns its path. */
async function configured(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mon-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'mon/secrets'), { recursive: true });
  await writeFile(join(folder, 'mon/console.yml'), text);
  return folder;
}

describe('contexts', () => {
  const CONFIG = `# mine
context: prod
contexts:
  prod: { backend: "https://mon.example.org", user: alice, password: { env: MON_PASSWORD } }
  lab: { backend: "http://lab:4567", namespace: lab }
`;

  test('contexts are listed, selected and deleted, and the rest of the file is kept', async () => {
    const folder = await configured(CONFIG);
    const file = join(folder, 'mon/console.yml');
    const context = (...args: readonly string[]): Promise<MonctlRun> =>
      runMonctl(['context', ...args], { XDG_CONFIG_HOME: folder });
    expect((await context('list')).stdout).toBe(
      'CURRENT  NAME  BACKEND                  LOGIN  NAMESPACE\n' +
        '*        prod  https://mon.example.org  alice  default\n' +
        '         lab   http://lab:4567          none   lab\n',
    );
    expect(await context('use', 'lba')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean lab?'),
    });
    expect((await context('use', 'lab')).stdout).toBe('the current context is lab\n');
    expect(await readFile(file, 'utf8')).toBe(CONFIG.replace('context: prod', 'context: lab'));
    await writeFile(join(folder, 'mon/secrets/lab'), 'secret');
    expect((await context('delete', 'lab', '--dry-run')).stdout).toContain('nothing was changed');
    expect((await context('rm', 'lab')).stdout).toBe('deleted the context lab\n');
    expect(await readFile(file, 'utf8')).toBe(
      CONFIG.replace('context: prod', 'context: null').replace(/ {2}lab: .*\n/, ''),
    );
    await expect(readFile(join(folder, 'mon/secrets/lab'))).rejects.toThrow('ENOENT');
  });
});
