import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openBackend } from '../../../support/open-backend.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

let dir: string;
/** Directory whose programs may be used by commands of the API. */
let allowedDirectory: string;
let log: RecordedLog;

beforeEach(async () => {
  dir = await tempDir();
  allowedDirectory = join(dir, 'listed');
  await mkdir(allowedDirectory);
  await writeFile(join(allowedDirectory, 'notify'), '#!/bin/sh\n', { mode: 0o755 });
  await symlink('/bin/sh', join(allowedDirectory, 'link'));
  log = new RecordedLog();
});

/** Starts a backend with these settings, merged over the defaults, and returns a client of its v2 API. */
async function peer(settings: object): Promise<V2Peer> {
  const { program } = await loadConfig({ directories: [], env: {}, flags: { ...settings } });
  const backend = await openBackend({
    dir: join(dir, 'state'),
    log,
    batcher: { lingerMs: 0 },
    definitions: { program },
  });
  const stop = (): Promise<void> => backend.stop();
  onTestFinished(stop);
  return new V2Peer(backend.url);
}

const NAMESPACE = '/namespaces/default';
const metadata = { name: 'own', namespace: 'default' };
const handler = (command: unknown, more = {}): object => ({ type: 'pipe', command, metadata, ...more });
const check = (command: unknown, more = {}): object => ({
  command,
  interval: 60,
  subscriptions: ['x'],
  metadata,
  ...more,
});

describe('a backend with api-command-directories', () => {
  test('the API accepts handlers and mutators only if their programs exist in api-command-directories', async () => {
    const v2 = await peer({ 'api-command-directories': [allowedDirectory] });
    const statusOf = async (command: unknown): Promise<number> =>
      (await v2.put(`${NAMESPACE}/handlers/own`, handler(command))).status;
    expect(await statusOf(`${allowedDirectory}/notify --to ops`)).toBe(201);
    expect(await statusOf([`${allowedDirectory}/notify`, '; sh'])).toBe(201);
    expect(await statusOf(`${allowedDirectory}/notify; sh`)).toBe(403);
    expect(await statusOf(`${allowedDirectory}/link`)).toBe(403);
    expect(await statusOf(`${allowedDirectory}/missing`)).toBe(403);
    expect(await statusOf('/bin/sh')).toBe(403);
    const mutator = { command: '/bin/sh', metadata };
    expect(await v2.post('/mutators', mutator)).toMatchObject({
      status: 403,
      body: { code: 4, message: expect.stringMatching(/^command: must be a program in a directory .*listed\)$/) },
    });
  });

  test('a patch of a handler is checked by its result, even if it changes only attributes specific to mon', async () => {
    const v2 = await peer({ 'api-command-directories': [allowedDirectory] });
    const path = `${NAMESPACE}/handlers/own`;
    await v2.put(path, handler(`${allowedDirectory}/notify`));
    expect(await v2.patch(path, { command: '/bin/sh' })).toMatchObject({ status: 403 });
    expect(await v2.patch(path, { command: null, mon: { command: ['/bin/sh'] } })).toMatchObject({ status: 403 });
    expect(await v2.patch(path, { env_vars: ['LD_PRELOAD=/tmp/x.so'] })).toMatchObject({ status: 403 });
    expect(await v2.patch(path, { timeout: 5 })).toMatchObject({ status: 200 });
    const other = {
      type: 'pipe',
      metadata,
      mon: { type: 'transport', pipe: { type: 'fanout', name: 'x', options: { file: '/x' } } },
    };
    expect(await v2.put(path, other)).toMatchObject({ status: 403 });
  });

  test('the commands of checks must be in api-command-directories, but need not exist on the backend', async () => {
    const v2 = await peer({ 'api-command-directories': ['/usr/lib/nagios/plugins'] });
    const statusOf = async (body: object): Promise<number> => (await v2.put(`${NAMESPACE}/checks/own`, body)).status;
    expect(await statusOf(check('/usr/lib/nagios/plugins/check_disk -w 20%'))).toBe(201);
    expect(await statusOf(check('check_disk'))).toBe(403);
    const hooks = { critical: { command: 'ps' } };
    expect(await statusOf(check('/usr/lib/nagios/plugins/check_disk', { hooks }))).toBe(403);
  });

  test('a restore skips objects with commands outside api-command-directories', async () => {
    const v2 = await peer({ 'api-command-directories': [allowedDirectory] });
    const object = { type: 'Handler', api_version: 'core/v2', metadata, spec: { type: 'pipe', command: '/bin/sh' } };
    expect(await restore(v2, object)).toMatchObject([
      { outcome: 'skipped', reason: expect.stringContaining('must be a program in a directory') },
    ]);
    const fine = { ...object, spec: { type: 'pipe', command: `${allowedDirectory}/notify` } };
    expect(await restore(v2, fine)).toMatchObject([{ outcome: 'created' }]);
  });
});

/** Restores one object by the mon API, and returns the results of the response. */
async function restore(v2: V2Peer, object: object): Promise<unknown> {
  const answer = await v2.send('POST', '/../../mon/v1/restore', { objects: [object] });
  return (answer.body as { results: unknown }).results;
}

describe('a backend with api-commands: false', () => {
  test('api-commands: false rejects every command that the API sends and accepts objects without a command', async () => {
    const v2 = await peer({ 'api-commands': false });
    const make = async (type: string, body: object): Promise<number> => (await v2.post(`/${type}`, body)).status;
    expect(await make('handlers', handler(`${allowedDirectory}/notify`))).toBe(403);
    expect(await make('mutators', { command: ['x'], metadata })).toBe(403);
    expect(await make('checks', check('true'))).toBe(403);
    expect(await make('handlers', { type: 'tcp', socket: { host: '127.0.0.1', port: 1 }, metadata })).toBe(201);
    expect(await make('filters', { action: 'allow', expressions: ['true'], metadata })).toBe(201);
    expect((await v2.delete(`${NAMESPACE}/handlers/own`)).status).toBe(204);
  });

  test('commands stored before api-commands: false still run, and the start warns about them', async () => {
    const { program } = await loadConfig({ directories: [], env: {} });
    const state = join(dir, 'state');
    const before = await openBackend({ dir: state, definitions: { program } });
    await new V2Peer(before.url).post('/handlers', handler('/bin/sh'));
    await before.stop();
    await peer({ 'api-commands': false });
    const warning = log.records.find(({ message }) => message.startsWith('stored definitions contain commands'));
    expect(warning).toMatchObject({ level: 'warn', fields: { definitions: ['handlers/default/own'] } });
  });
});

test.each(['relative', '/', '/a/../b', '/a//b', ''])(
  'the directory %j in api-command-directories is rejected',
  async (directory) => {
    const flags = { 'api-command-directories': [directory] };
    await expect(loadConfig({ directories: [], env: {}, flags })).rejects.toThrow('absolute path');
  },
);
