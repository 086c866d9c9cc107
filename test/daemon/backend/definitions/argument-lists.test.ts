import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { askV1 } from '../../../support/ask-v1.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const LIST = ['check-web', '--host', ':::labels.host|none:::', "it's"];
const TEXT = String.raw`check-web --host ':::labels.host|none:::' 'it'\''s'`;

let backend: RunningBackend;
let v2: V2Peer;

beforeAll(async () => {
  backend = await startBackend({
    batcher: { lingerMs: 0 },
    fixedLimits: { quarantineSeconds: 0 },
    settings: {
      'agent-listener': { port: 0 },
      checks: { configured: { command: LIST, subscribers: ['linux'], interval: 3600 } },
      handlers: { mail: { type: 'pipe', command: ['mail', 'a b'] } },
      mutators: { short: { command: ['head', '-1'] } },
    },
  });
  v2 = new V2Peer(backend.url);
});

afterAll(async () => backend[Symbol.asyncDispose]());

const metadata = { name: 'x', namespace: 'default' };
const CHECKS = '/namespaces/default/checks';

describe('a list of arguments', () => {
  test.each<[kind: string, name: string, command: readonly string[], text: string]>([
    ['checks', 'configured', LIST, TEXT],
    ['handlers', 'mail', ['mail', 'a b'], "mail 'a b'"],
    ['mutators', 'short', ['head', '-1'], 'head -1'],
  ])('the v2 API shows a configured list of arguments as one quoted text: %s', async (kind, name, command, text) => {
    const { body } = await v2.get(`/namespaces/default/${kind}/${name}`);
    expect(body).toMatchObject({ command: text, mon: { command } });
  });

  test.each<[kind: string, more: object]>([
    ['checks', { interval: 60 }],
    ['handlers', { type: 'pipe' }],
    ['mutators', {}],
  ])(
    'a list of arguments sent to the v2 API is stored as a list and shown with its quoted text: %s',
    async (kind, more) => {
      const path = `/namespaces/default/${kind}/x`;
      expect(await v2.put(path, { metadata, ...more, command: ['a', 'b c'] })).toMatchObject({ status: 201 });
      const { body } = await v2.get(path);
      expect(body).toMatchObject({ command: "a 'b c'", mon: { command: ['a', 'b c'] } });
      // The response can be written back, and patched with another list. A text that differs from the list is rejected.
      expect(await v2.put(path, body)).toMatchObject({ status: 201 });
      expect(await v2.patch(path, { command: ['d'] })).toMatchObject({
        body: { command: 'd', mon: { command: ['d'] } },
      });
      expect(await v2.patch(path, { command: 'e' })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('command: differs from mon.command') },
      });
      expect(await v2.patch(path, { command: 'e', mon: null })).toMatchObject({ status: 200, body: { command: 'e' } });
    },
  );

  test('the v1 API shows a configured list of arguments as a list', async () => {
    expect(await askV1(backend.url, 'GET', '/checks/configured')).toMatchObject({ command: LIST });
  });
});

test('mon-agent gets a list of arguments, and agents of Sensu Go get an equivalent quoted command line', async () => {
  const ours = await AgentPeer.connect(backend.url, 'ours');
  await ours.join('spool', { subscriptions: ['linux'] });
  const labels = { host: "'; id; {{ .name }} `x`" };
  const theirs = await GoAgent.joined(backend.agentUrl, {
    name: 'theirs',
    subscriptions: ['linux'],
    entity: { metadata: { name: 'theirs', namespace: 'default', labels } },
  });
  const windows = await GoAgent.joined(backend.agentUrl, {
    name: 'windows',
    subscriptions: ['linux'],
    entity: { metadata: { name: 'windows', namespace: 'default' }, system: { os: 'windows' } },
  });
  await Promise.all([theirs.register(), windows.register()]);
  await v2.put(`${CHECKS}/stored`, {
    metadata: { name: 'stored' },
    command: ['echo', '{{ .labels.host }}', ':::labels.host:::'],
    interval: 60,
    subscriptions: ['linux'],
  });
  await v2.post(`${CHECKS}/stored/execute`, {});
  const value = String.raw`''\''; id; {{${'`{{`'}}} .name }} ${'`x`'}'`;
  expect((await theirs.hears('check_request'))['config']).toMatchObject({ command: `echo ${value} ${value}` });
  await vi.waitFor(() => {
    expect(ours.heard).toContainEqual({
      type: 'check_request',
      check: expect.objectContaining({ command: ['echo', '{{ .labels.host }}', ':::labels.host:::'] }),
    });
  });
  expect(windows.payloads('check_request')).toEqual([]);
  expect(backend.log.records).toContainEqual({
    level: 'warn',
    message: 'check request was not sent: the agent of this client does not support the check',
    fields: expect.objectContaining({ client: 'windows', check: 'stored' }),
  });
  theirs.cut();
  windows.cut();
});

const warned = (): unknown[] =>
  backend.log.records.filter(({ message }) => message.includes('has tokens in a shell command'));

describe('a check of the v2 API with tokens in its command', () => {
  test.each<{ command: string | string[]; isWarned: boolean }>([
    { command: 'ping :::address:::', isWarned: true },
    { command: 'ping {{ .name }}', isWarned: true },
    { command: 'ping localhost', isWarned: false },
    { command: ['ping', ':::address:::', '{{ .name }}'], isWarned: false },
  ])(
    'the v2 API warns about tokens in a shell command, but not in a list of arguments: $command',
    async ({ command, isWarned }) => {
      const before = warned().length;
      const { status, headers } = await v2.put(`${CHECKS}/risky`, {
        metadata: { name: 'risky' },
        interval: 60,
        command,
      });
      expect(status).toBe(201);
      expect(
        /^299 - "the check has tokens in a shell command: .* write the command as/.test(headers.get('warning') ?? ''),
      ).toBe(isWarned);
      expect(warned()).toHaveLength(before + (isWarned ? 1 : 0));
    },
  );
});
