/** @module-tag slow */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { ClusterView } from '../../shared/schemas/cluster.ts';
import { PEER_RUNS_PATH } from '../../shared/schemas/peer-run.ts';
import { definitionDigest } from '../../daemon/backend/cluster/runs/definition-digest.ts';
import { PeerKeys } from '../../daemon/backend/cluster/forwarding/proof/peer-keys.ts';
import { PeerSignatures } from '../../daemon/backend/cluster/forwarding/proof/peer-signatures.ts';
import { aJob } from '../support/a-job.ts';
import { administratorOf } from '../support/administrator.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { send, type Answer } from '../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { peerKeyFile, postgresOfFile, startSharing } from '../support/shared-database.ts';
import { tempDir } from '../support/temp-dir.ts';
import { writePair } from '../support/tls-files.ts';

/** Tests of attackers who can read the database of a cluster, or can also write it. */

const server = postgresOfFile();

/** An attacker who can read and write the database. */
class Attacker {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client(this.#url);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async secret(): Promise<string> {
    const [row] = await this.query<{ secret: string }>('select secret from mon.store');
    return row?.secret ?? '';
  }

  /** Returns the best signatures that an attacker can compute from the contents of the database. */
  async signatures(): Promise<PeerSignatures> {
    const [row] = await this.query<{ id: string; secret: string }>('select id, secret from mon.store');
    const keys = PeerKeys.ofStore(row?.secret ?? '', row?.id ?? '');
    return new PeerSignatures({ keys, self: `attacker-${randomUUID()}`, now: Date.now });
  }

  async idOf({ url }: RunningBackend): Promise<string> {
    const rows = await this.query<{ id: string; url: string }>('select id, url from mon.member');
    return rows.find((row) => new URL(row.url).port === new URL(url).port)?.id ?? '';
  }

  /** Sends a signed POST request to a member, pretending to be another member. */
  async post(
    backend: RunningBackend,
    target: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const text = JSON.stringify(body);
    const sent = { method: 'POST', path: target, headers, body: Buffer.from(text) };
    const signature = (await this.signatures()).headerOf(sent, await this.idOf(backend));
    return send(backend.url, { method: 'POST', target, headers: { ...headers, ...signature }, body: text });
  }
}

const LOCAL = {
  'mon-principal': Buffer.from('{"name":"local administrator","via":"local"}').toString('base64url'),
  'mon-caller': '10.9.8.7',
};

const cluster = async ({ url }: RunningBackend): Promise<ClusterView> =>
  (await (await fetch(`${url}/api/mon/v1/cluster`)).json()) as ClusterView;

/** Starts two members, and waits until they know each other. */
async function both(
  database: string,
  first: object,
  second: object,
): Promise<readonly [RunningBackend, RunningBackend]> {
  const writer = await startSharing(database, { ...first });
  const member = await startSharing(database, { ...second });
  await expect.poll(async () => (await cluster(writer)).members).toHaveLength(2);
  return [writer, member];
}

const NO_KEY = { 'peer-key-file': undefined };

test.each([
  { name: 'with a peer key', settings: {}, status: 401, namedStatus: 401 },
  { name: 'without a peer key', settings: NO_KEY, status: 400, namedStatus: 412 },
])(
  'a reader of the secret in the store cannot run a command on a backend $name',
  async ({ settings, status, namedStatus }) => {
    const database = await server().database();
    const [, member] = await both(database, settings, settings);
    const attacker = new Attacker(database);
    const file = join(await tempDir(), 'ran');
    const handler = { name: 'own', type: 'pipe', command: `touch ${file}` };
    const order = { job: { ...aJob(), handler: 'own' }, handler, attempt: 1 };
    const bare = { 'mon-peer': await attacker.secret() };
    const body = JSON.stringify(order);
    expect((await send(member.url, { method: 'POST', target: PEER_RUNS_PATH, headers: bare, body })).status).toBe(401);
    expect((await attacker.post(member, PEER_RUNS_PATH, order)).status).toBe(status);
    const definition = definitionDigest({ name: 'own', type: 'pipe', command: `touch ${file}` }, undefined);
    const named = await attacker.post(member, PEER_RUNS_PATH, {
      job: { ...aJob(), handler: 'own' },
      definition,
      attempt: 1,
    });
    expect(named.status).toBe(namedStatus);
    expect(existsSync(file)).toBe(false);
  },
);

test.each([{ settings: {} }, { settings: NO_KEY }])(
  'a reader of the secret in the store cannot create an administrator (settings: $settings)',
  async ({ settings }) => {
    const database = await server().database();
    const [writer] = await both(database, settings, settings);
    const attacker = new Attacker(database);
    const user = { username: 'backdoor', password: 'longenough', groups: ['cluster-admins'] };
    const straight = { ...LOCAL, 'mon-peer': await attacker.secret() };
    const target = '/api/core/v2/users';
    const bare = await send(writer.url, { method: 'POST', target, headers: straight, body: JSON.stringify(user) });
    expect(bare.status).toBe(401);
    expect([401, 403]).toContain((await attacker.post(writer, target, user, LOCAL)).status);
    const { body } = await send(writer.url, { method: 'GET', target, headers: administratorOf(writer.url) });
    expect(body).toEqual([]);
  },
);

test('a command from the API is not run for another backend if the own settings forbid such commands', async () => {
  const database = await server().database();
  const file = join(await tempDir(), 'ran');
  const [writer, member] = await both(database, { 'run-handlers': false }, { 'api-commands': false });
  const headers = { 'content-type': 'application/json', ...administratorOf(writer.url) };
  const stored = { metadata: { name: 'stored', namespace: 'default' }, type: 'pipe', command: `touch ${file}` };
  const target = '/api/core/v2/namespaces/default/handlers';
  expect((await send(writer.url, { method: 'POST', target, headers, body: JSON.stringify(stored) })).status).toBe(201);
  const known = `${target}/stored`;
  await expect
    .poll(
      async () =>
        (await send(member.url, { method: 'GET', target: known, headers: administratorOf(member.url) })).status,
    )
    .toBe(200);
  const result = { source: 'web', name: 'disk', output: 'x', status: 2, handlers: ['stored'] };
  const report = async (): Promise<void> => {
    await send(writer.url, { method: 'POST', target: '/results', body: JSON.stringify(result) });
  };
  await expect
    .poll(
      async () => {
        result.name = `disk-${String(Math.random()).slice(2)}`;
        await report();
        return writer.log.records.find(({ message }) => message.startsWith('another member rejected a handler run'))
          ?.fields;
      },
      { timeout: 20_000 },
    )
    .toMatchObject({ handler: 'stored', reason: expect.stringContaining('api-commands') as string });
  // The follower rejects the run because of its setting `api-commands`, so the leader runs the handler itself.
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(member.log.records.map(({ message }) => message)).not.toContain('handler output');
});

test('a row that is inserted into the database by hand is no member, and the health report says so', async () => {
  const database = await server().database();
  const [writer, member] = await both(database, {}, {});
  const attacker = new Attacker(database);
  await attacker.query(
    `insert into mon.member (id, name, url, version, seq, last_seen)
     values ('evil', 'evil:1', 'http://127.0.0.1:1', '1.0.0', 1, clock_timestamp() + interval '1 hour')`,
  );
  // The forged member is rejected without a proof, and also with the copied proof of another row.
  for (const proof of [
    null,
    (await attacker.query<{ proof: string }>('select proof from mon.member where proof is not null'))[0]?.proof,
  ]) {
    await attacker.query(`update mon.member set proof = $1 where id = 'evil'`, [proof]);
    await expect
      .poll(async () => (await cluster(writer)).members.find(({ id }) => id === 'evil')?.problem)
      .toContain(proof === null ? 'earlier version' : 'another program has written');
  }
  const { status, body } = await send(writer.url, { method: 'GET', target: '/health?deep=1' });
  expect({ status, body }).toMatchObject({
    status: 412,
    body: { problems: [expect.stringContaining('evil:1') as string] },
  });
  // Even if the forged member holds the lease, no request and no credentials are sent to it, and no caller waits for
  // it.
  await attacker.query(
    `update mon.lease set holder = 'evil', epoch = epoch + 1, good_until = clock_timestamp() + interval '1 hour'`,
  );
  const headers = { authorization: 'Basic YWRhOmxvdmVsYWNl' };
  await expect
    .poll(async () => (await send(member.url, { method: 'POST', target: '/stashes', headers, body: '{}' })).body)
    .toMatchObject({ code: 'unavailable', error: expect.stringContaining('does not forward requests') as string });
});

test('members with different peer keys reject each other, and the health report of each says why', async () => {
  const database = await server().database();
  const other = { 'peer-key-file': await peerKeyFile('y'.repeat(43)) };
  const [writer, member] = await both(database, {}, other);
  for (const backend of [writer, member]) {
    await expect
      .poll(async () => (await send(backend.url, { method: 'GET', target: '/health?deep=1' })).body)
      .toMatchObject({ problems: [expect.stringContaining('another key in peer-key-file') as string] });
  }
  const stash = JSON.stringify({ path: 'a', content: {} });
  const asked = performance.now();
  expect(await send(member.url, { method: 'POST', target: '/stashes', body: stash })).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining('another key in peer-key-file') as string },
  });
  expect(performance.now() - asked).toBeLessThan(3000);
  expect((await send(writer.url, { method: 'POST', target: '/stashes', body: stash })).status).toBe(201);
  // Stored objects reach all members through the database, even if the members do not trust each other.
  await expect.poll(async () => (await send(member.url, { method: 'GET', target: '/stashes' })).body).toHaveLength(1);
});

test('a backend whose peer key file is missing does not start and says what to do', async () => {
  const database = await server().database();
  const lost = join(await tempDir(), 'peer.key');
  await expect(startBackend({ database, settings: { 'peer-key-file': lost } })).rejects.toThrow(
    `${lost} cannot be used as peer-key-file: there is no such file`,
  );
});

test('forwarding between a backend and an earlier version of it is rejected at once, and a failover still works', async () => {
  const database = await server().database();
  const [writer, member] = await both(database, {}, {});
  const attacker = new Attacker(database);
  // A backend of an earlier version sends the secret itself instead of a signature, and writes no proof to its row.
  const body = JSON.stringify({ path: 'a', content: {} });
  const headers = { ...LOCAL, 'mon-peer': await attacker.secret() };
  expect(await send(writer.url, { method: 'POST', target: '/stashes', headers, body })).toMatchObject({ status: 401 });
  await attacker.query(
    `create function forget_proof() returns trigger language plpgsql as 'begin new.proof := null; return new; end'`,
  );
  await attacker.query(
    `create trigger earlier before insert or update on mon.member for each row when (new.id = '${await attacker.idOf(writer)}')
     execute function forget_proof()`,
  );
  await expect
    .poll(async () => (await send(member.url, { method: 'POST', target: '/stashes', body })).body)
    .toMatchObject({ error: expect.stringContaining('earlier version') as string });
  await writer[Symbol.asyncDispose]();
  expect((await send(member.url, { method: 'POST', target: '/stashes', body })).status).toBe(201);
});

test('signed requests between members over TLS still work after each member has restarted', async () => {
  const database = await server().database();
  const dir = await tempDir();
  const tls = await writePair(dir, makeCertificate('127.0.0.1', { names: ['127.0.0.1'] }));
  const settings = { tls, api: { user: 'ops', password: 'secret' } };
  const writer = await startSharing(database, settings);
  const member = await startSharing(database, settings);
  const asked = { authorization: `Basic ${Buffer.from('ops:secret').toString('base64')}` };
  const { default: got } = await import('got');
  const change = async ({ url }: RunningBackend, path: string): Promise<number> =>
    (
      await got.post(`${url}/stashes`, {
        json: { path, content: {} },
        headers: asked,
        https: { rejectUnauthorized: false },
        throwHttpErrors: false,
      })
    ).statusCode;
  expect(await change(member, 'a')).toBe(201);
  await writer[Symbol.asyncDispose]();
  const next = await startSharing(database, settings);
  expect(await change(next, 'b')).toBe(201);
});

test('a database of an earlier version is migrated with a column for member proofs and keeps its content', async () => {
  const database = await server().database();
  const first = await startSharing(database);
  const attacker = new Attacker(database);
  await send(first.url, { method: 'POST', target: '/stashes', body: JSON.stringify({ path: 'a', content: {} }) });
  await first[Symbol.asyncDispose]();
  await attacker.query('alter table mon.member drop column proof');
  const second = await startSharing(database);
  expect((await send(second.url, { method: 'GET', target: '/stashes' })).body).toHaveLength(1);
  await expect
    .poll(() => attacker.query('select proof from mon.member'))
    .toMatchObject([{ proof: expect.any(String) as string }]);
});
