import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../../shared/client/api-client.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { hoursFromNow, makeCertificate, type MadeCertificate } from '../../../support/make-certificate.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { writePair } from '../../../support/tls-files.ts';

const authority = makeCertificate('authority', { isAuthority: true });
const agents = makeCertificate('agents', { isAuthority: true });
const server = makeCertificate('127.0.0.1', { issuer: authority, names: ['127.0.0.1'] });
const web1 = makeCertificate('web-1', { issuer: agents, names: ['web-1', 'web-1.example.org'] });

let backend: RunningBackend;
let api: ApiClient;
let dir: string;
let authoritiesFile: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  const tls = await writePair(dir, server);
  authoritiesFile = join(dir, 'agents.pem');
  await writeFile(authoritiesFile, agents.cert);
  backend = await startBackend({
    settings: {
      tls: { ...tls, 'client-ca-file': authoritiesFile },
      api: { user: 'ops', password: 'secret' },
      'agent-listener': { port: 0 },
    },
  });
  await writeFile(join(dir, 'ca.pem'), authority.cert);
  api = openApiClient({
    backend: backend.url,
    env: { MON_CREDENTIALS: 'ops:secret', MON_TRUSTED_CA_FILE: join(dir, 'ca.pem') },
  });
});

afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

const resultFrom = (id: number, source: string) => ({ id, check: { name: 'disk', output: 'full', status: 2, source } });

const showing = (shown?: MadeCertificate): ConnectionOptions => ({
  ca: authority.cert,
  ...(shown && { cert: shown.cert, key: shown.key }),
});

const connect = (shown: MadeCertificate | undefined, name = 'web-1'): Promise<AgentPeer> =>
  AgentPeer.connect(backend.url, name, 'default', showing(shown));

test.each(['web-1', 'web-1.example.org'])(
  'a certificate authenticates its agent as %s without other credentials',
  async (name) => {
    const peer = await connect(web1, name);
    await peer.join();
    expect(await api.client(name)).toMatchObject({ name });
  },
);

test.each([
  { name: 'no certificate', shown: undefined, status: 401 },
  { name: 'a certificate of another client', shown: makeCertificate('web-2', { issuer: agents }), status: 403 },
  {
    name: 'a certificate of an unknown authority',
    shown: makeCertificate('web-1', { issuer: authority }),
    status: 401,
  },
  { name: 'a self-signed certificate', shown: makeCertificate('web-1'), status: 401 },
  {
    name: 'an expired certificate',
    shown: makeCertificate('web-1', { issuer: agents, from: hoursFromNow(-3), until: hoursFromNow(-2) }),
    status: 401,
  },
  {
    name: 'a certificate that names no client',
    shown: makeCertificate('Web Servers Inc.', { issuer: agents }),
    status: 401,
  },
])('an agent that connects with $name is rejected with $status', async ({ shown, status }) => {
  await expect(connect(shown)).rejects.toThrow(`Unexpected server response: ${String(status)}`);
});

test('an agent with a certificate cannot name another client in its hello', async () => {
  const peer = await AgentPeer.connect(backend.url, 'web-9', undefined, showing(web1));
  peer.greet();
  expect(await peer.hears('error')).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('the certificate is for web-1'),
  });
});

test('an agent with a certificate may send results of proxy clients, but not of other agents', async () => {
  const other = await connect(makeCertificate('db-1', { issuer: agents }), 'db-1');
  await other.join();
  const peer = await connect(web1);
  await peer.join('spool-source');
  peer.say({ type: 'results', results: [resultFrom(1, 'db-1'), resultFrom(2, 'switch-1')] });
  await peer.waitForAck(2);
  expect(peer.heard).toContainEqual({
    type: 'rejected',
    id: 1,
    error: 'db-1 is another agent, for which the certificate of web-1 is not valid',
  });
  expect((await api.events()).map(({ client }) => client.name)).toEqual(['switch-1']);
});

test('a delta result for a proxy client is rejected after the proxy client became an agent', async () => {
  const peer = await connect(web1);
  await peer.join('spool-delta', {}, true);
  const passing = { name: 'disk', output: 'OK', status: 0, executed: 1_700_000_000, issued: 1_700_000_000 };
  const delta = (id: number): { id: number; baseline: number; executed: number; issued: number } => ({
    id,
    baseline: 1,
    executed: passing.executed + id,
    issued: passing.issued + id,
  });
  peer.say({ type: 'results', results: [{ id: 1, check: { ...passing, source: 'switch-3' } }] });
  await vi.waitFor(() => expect(peer.baselines).toEqual([1]));
  peer.say({ type: 'results', results: [delta(2)] });
  await peer.waitForAck(2);
  await (await connect(makeCertificate('switch-3', { issuer: agents }), 'switch-3')).join();
  peer.say({ type: 'results', results: [delta(3)] });
  expect(await peer.hears('resend')).toMatchObject({ after: 2 });
  // Unlike the delta result, the resent full result is rejected with the reason.
  peer.say({ type: 'results', resume_after: 2, results: [{ id: 3, check: { ...passing, source: 'switch-3' } }] });
  await peer.waitForAck(3);
  expect(peer.heard).toContainEqual({
    type: 'rejected',
    id: 3,
    error: expect.stringContaining('switch-3 is another agent'),
  });
});

test('an agent with a certificate cannot send results in the name of the backend', async () => {
  const peer = await connect(web1);
  await peer.join('spool-backend');
  peer.say({ type: 'results', results: [resultFrom(1, 'mon'), resultFrom(2, 'switch-2')] });
  await peer.waitForAck(2);
  expect(peer.heard).toContainEqual({
    type: 'rejected',
    id: 1,
    error: 'mon is the client of the backend: use another source',
  });
  expect((await api.events()).map(({ client }) => client.name)).not.toContain('mon');
});

test('a certificate limits an agent to the name in the certificate, even if a key would allow any name', async () => {
  const { default: got } = await import('got');
  const { key } = await got
    .post(`${backend.url}/api/core/v2/apikeys`, {
      json: { username: 'ops' },
      username: 'ops',
      password: 'secret',
      https: { certificateAuthority: authority.cert },
    })
    .json<{ readonly key: string }>();
  await expect(AgentPeer.connect(backend.url, 'db-9', 'default', showing(web1), key)).rejects.toThrow('403');
  const peer = await AgentPeer.connect(backend.url, 'db-9', undefined, showing(web1), key);
  peer.greet();
  expect(await peer.hears('error')).toMatchObject({ code: 'forbidden' });
});

test('a certificate is accepted only for connections of agents', async () => {
  const { default: got } = await import('got');
  const https = { certificateAuthority: authority.cert, certificate: web1.cert, key: web1.key };
  const answer = await got(`${backend.url}/events`, { https, throwHttpErrors: false });
  expect(answer.statusCode).toBe(401);
});

test('connections of agents end when the authority of their certificates is removed, and others continue', async () => {
  const peer = await connect(web1);
  await peer.join();
  const { default: got } = await import('got');
  const { key } = await got
    .post(`${backend.url}/api/core/v2/apikeys`, {
      json: { username: 'ops' },
      username: 'ops',
      password: 'secret',
      https: { certificateAuthority: authority.cert },
    })
    .json<{ readonly key: string }>();
  const web3 = makeCertificate('web-3', { issuer: agents });
  const withKey = await AgentPeer.connect(backend.url, 'web-3', 'default', showing(web3), key);
  await withKey.join();
  const newer = makeCertificate('newer', { isAuthority: true });
  await writeFile(authoritiesFile, `${agents.cert}${newer.cert}`);
  await backend.reload();
  await (await connect(makeCertificate('web-2', { issuer: newer }), 'web-2')).join();
  expect(peer.ending).toBeUndefined();
  await writeFile(authoritiesFile, newer.cert);
  await backend.reload();
  expect(await peer.ends()).toMatchObject({
    code: 1008,
    reason: 'the credentials are no longer valid: authenticate again',
  });
  expect(await withKey.ends()).toMatchObject({
    code: 1008,
    reason: 'the credentials are no longer valid: authenticate again',
  });
  await expect(connect(web1)).rejects.toThrow('401');
  await writeFile(authoritiesFile, agents.cert);
  await backend.reload();
});
