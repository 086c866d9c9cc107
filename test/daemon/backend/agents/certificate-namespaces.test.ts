import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { makeCertificate, type MadeCertificate } from '../../../support/make-certificate.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writePair } from '../../../support/tls-files.ts';

/**
 * Tests of the setting `certificate-namespaces`: the certificate of an agent decides in which namespaces it may report.
 */

const server = makeCertificate('127.0.0.1', { names: ['127.0.0.1'] });
const shop = makeCertificate('agents of shop', { isAuthority: true });
const bank = makeCertificate('agents of bank', { isAuthority: true });
/** A certificate authority with the same name as `shop`: a rule must match the signer, not its name. */
const twin = makeCertificate('agents of shop', { isAuthority: true });
const fingerprint = ({ cert }: MadeCertificate): string => new X509Certificate(cert).fingerprint256;

const OF_SHOP = { authority: fingerprint(shop), namespaces: ['shop'] };
const OF_BANK = { authority: fingerprint(bank), namespaces: ['bank', 'default'] };
const NAMESPACES = 'certificate-namespaces';

interface Rig {
  readonly backend: Backend;
  readonly log: RecordedLog;
  /** Reloads the configuration with these rules. */
  readonly reload: (rules: readonly object[]) => Promise<void>;
}

async function open(rules: readonly object[]): Promise<Rig> {
  const dir = await tempDir();
  const file = join(dir, 'config.json');
  const authorities = join(dir, 'agents.pem');
  await writeFile(authorities, shop.cert + bank.cert + twin.cert);
  const tls = { ...(await writePair(join(dir, 'tls'), server)), 'client-ca-file': authorities };
  const write = (next: readonly object[]): Promise<void> =>
    writeFile(file, JSON.stringify({ tls, api: { user: 'ops', password: 'secret' }, [NAMESPACES]: next }));
  const load = (): ReturnType<typeof loadConfig> => loadConfig({ file, directories: [], env: {} });
  await write(rules);
  const log = new RecordedLog();
  const backend = await openBackend({ dir: join(dir, 'store'), definitions: await load(), loadConfig: load, log });
  onTestFinished(() => backend.stop());
  for (const name of ['shop', 'bank']) await ask(backend, 'PUT', `/api/core/v2/namespaces/${name}`, { name });
  const reload = async (next: readonly object[]): Promise<void> => {
    await write(next);
    await backend.reload();
  };
  return { backend, log, reload };
}

async function ask({ url }: Backend, method: 'PUT' | 'POST', path: string, json: object): Promise<string> {
  const { default: got } = await import('got');
  const https = { rejectUnauthorized: false };
  const { body } = await got(`${url}${path}`, { method, json, username: 'ops', password: 'secret', https });
  return body;
}

const showing = ({ cert, key }: MadeCertificate): ConnectionOptions => ({ rejectUnauthorized: false, cert, key });
const web1 = makeCertificate('web-1', { issuer: shop });

const connect = ({ backend }: Rig, namespace: string | undefined, shown = web1, name = 'web-1'): Promise<AgentPeer> =>
  AgentPeer.connect(backend.url, name, namespace, showing(shown));

test('a certificate is valid in every namespace while no rules about certificates exist', async () => {
  const rig = await open([]);
  for (const namespace of ['shop', 'bank']) {
    const peer = await connect(rig, namespace);
    await peer.join();
    expect(peer.heard).toContainEqual(expect.objectContaining({ type: 'welcome' }));
  }
});

test('an agent may report only in the namespace of the authority of its certificate', async () => {
  const rig = await open([OF_SHOP, OF_BANK]);
  await (await connect(rig, 'shop')).join();
  await expect(connect(rig, 'bank')).rejects.toThrow('403');
  await expect(connect(rig, 'default')).rejects.toThrow('403');
  const ofBank = makeCertificate('web-1', { issuer: bank });
  await (await connect(rig, 'bank', ofBank)).join();
  await expect(connect(rig, 'shop', ofBank)).rejects.toThrow('403');
});

test('an authority is trusted only for certificates that it signed, even if the agent sends another authority', async () => {
  const rig = await open([OF_SHOP, { authority: fingerprint(twin), namespaces: ['bank'] }]);
  await expect(connect(rig, 'bank', { ...web1, cert: web1.cert + twin.cert })).rejects.toThrow('403');
  await expect(connect(rig, 'bank')).rejects.toThrow('403');
});

test('an agent that names no namespace joins the only namespace of its certificate', async () => {
  const rig = await open([OF_SHOP]);
  const peer = await connect(rig, undefined);
  peer.greet();
  expect(await peer.hears('welcome')).toMatchObject({ type: 'welcome' });
  await expect
    .poll(() => rig.log.records.find(({ message }) => message === 'agent connected')?.fields)
    .toMatchObject({ namespace: 'shop', client: 'web-1' });
});

test('an agent cannot name a namespace in its hello that its certificate does not allow', async () => {
  const rig = await open([{ ...OF_SHOP, namespaces: ['shop', 'bank'] }]);
  const peer = await AgentPeer.connect(rig.backend.url, '', undefined, showing(web1));
  peer.say({ type: 'hello', client: { name: 'web-1', address: '', subscriptions: [] }, spool: 's' });
  expect(await peer.hears('error')).toMatchObject({
    code: 'forbidden',
    message:
      'the certificate is valid in the namespace shop, bank, not in default: set agent.namespace to it, or use another certificate',
  });
});

const bySubject = (issuer: MadeCertificate): MadeCertificate =>
  makeCertificate('web-1', { issuer, organization: 'Bank' });

test('the organization in a certificate selects a namespace only if the authority matches the rule', async () => {
  const rig = await open([{ authority: fingerprint(shop), organization: 'Bank', namespaces: ['bank'] }]);
  await (await connect(rig, 'bank', bySubject(shop))).join();
  await expect(connect(rig, 'bank', bySubject(bank))).rejects.toThrow('403');
  await expect(connect(rig, 'bank')).rejects.toThrow('403');
});

test('a certificate limits the namespaces of an agent, even if its key allows all namespaces', async () => {
  const rig = await open([OF_SHOP]);
  const { key } = JSON.parse(await ask(rig.backend, 'POST', '/api/core/v2/apikeys', { username: 'ops' })) as {
    key: string;
  };
  const { url } = rig.backend;
  await expect(AgentPeer.connect(url, 'web-1', 'bank', showing(web1), key)).rejects.toThrow('403');
  await (await AgentPeer.connect(url, 'web-1', 'shop', showing(web1), key)).join();
});

test('a reload with changed certificate rules closes exactly the connections that are no longer allowed', async () => {
  const rig = await open([OF_SHOP, OF_BANK]);
  const ofShop = await connect(rig, 'shop');
  await ofShop.join();
  const ofBank = await connect(rig, 'bank', makeCertificate('db-1', { issuer: bank }), 'db-1');
  await ofBank.join();
  await rig.reload([{ ...OF_SHOP, namespaces: ['default'] }, OF_BANK]);
  expect(await ofShop.ends()).toMatchObject({
    code: 1008,
    reason: 'the credentials are no longer valid: authenticate again',
  });
  await expect(connect(rig, 'shop')).rejects.toThrow('403');
  await rig.reload([OF_BANK]);
  await expect(connect(rig, 'default')).rejects.toThrow('403');
  expect(ofBank.ending).toBeUndefined();
});

test('a backend warns at the start if certificates are valid in several namespaces without rules', async () => {
  const warning = 'agents with a certificate can report in every namespace: restrict them with certificate-namespaces';
  const dir = await tempDir();
  const authorities = join(dir, 'agents.pem');
  await writeFile(authorities, shop.cert);
  const tls = { ...(await writePair(join(dir, 'tls'), server)), 'client-ca-file': authorities };
  const warned = async (rules: readonly object[]): Promise<boolean> => {
    const file = join(dir, 'config.json');
    await writeFile(file, JSON.stringify({ tls, api: { user: 'ops', password: 'secret' }, [NAMESPACES]: rules }));
    const log = new RecordedLog();
    const definitions = await loadConfig({ file, directories: [], env: {} });
    const backend = await openBackend({ dir: join(dir, 'store'), definitions, log });
    await ask(backend, 'PUT', '/api/core/v2/namespaces/shop', { name: 'shop' });
    await backend.stop();
    return log.messages('warn').includes(warning);
  };
  expect([await warned([]), await warned([]), await warned([OF_SHOP])]).toEqual([false, true, false]);
});
