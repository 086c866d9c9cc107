import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { listenersOf, refuseOpenHttp } from '../../../../daemon/backend/tls/listeners.ts';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { openV2Client } from '../../../../shared/client/v2-client.ts';
import { errorMessage } from '../../../../shared/errors.ts';
import { makeCertificate } from '../../../support/make-certificate.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writePair } from '../../../support/tls-files.ts';

const pair = (name: string) => ({ 'cert-file': `${name}.pem`, 'key-file': `${name}.key` });

const listeners = async (flags: object, bind = '127.0.0.1') =>
  listenersOf(bind, await loadConfig({ directories: [], env: {}, flags: { ...flags } }));

function problemOf(act: () => unknown): string {
  try {
    act();
    return 'none';
  } catch (error) {
    return errorMessage(error);
  }
}

describe('TLS settings of listeners', () => {
  test('the TLS settings apply to all listeners, except to listeners with their own or without TLS', async () => {
    const found = await listeners({
      tls: pair('all'),
      api: { tls: false },
      'v2-listener': {},
      'agent-listener': { tls: pair('agents') },
    });
    expect(found.map(({ name, tls, section }) => [name, tls?.['cert-file'], section])).toEqual([
      ['api', undefined, 'api.tls.'],
      ['agent-listener', 'agents.pem', 'agent-listener.tls.'],
      ['v2-listener', 'all.pem', 'tls.'],
    ]);
  });

  test.each([
    { name: 'loopback', flags: {}, bind: '127.0.0.1', refused: /^none$/ },
    { name: 'TLS', flags: { tls: pair('all') }, bind: '0.0.0.0', refused: /^none$/ },
    {
      name: 'an address that others can reach',
      flags: {},
      bind: '0.0.0.0',
      refused: /0\.0\.0\.0 \(api\).*--cert-file.*--insecure-http/,
    },
    {
      name: 'agents from elsewhere',
      flags: { 'agent-listener': { bind: '::' } },
      bind: '127.0.0.1',
      refused: /:: \(agent-listener\)/,
    },
    {
      name: 'TLS for all but one',
      flags: { tls: pair('all'), 'v2-listener': { bind: '10.0.0.1', tls: false } },
      bind: '::',
      refused: /10\.0\.0\.1 \(v2-listener\)/,
    },
  ])(
    'a listener that other machines can reach requires TLS or insecure-http: $name',
    async ({ flags, bind, refused }) => {
      const found = await listeners(flags, bind);
      expect(problemOf(() => refuseOpenHttp(found, false))).toMatch(refused);
      expect(refuseOpenHttp(found, true)).toHaveLength(refused.source === '^none$' ? 0 : 1);
    },
  );
});

test('every listener serves TLS, and a reload applies a new certificate to all of them', async () => {
  const authority = makeCertificate('authority', { isAuthority: true });
  const made = () => makeCertificate('127.0.0.1', { issuer: authority, names: ['127.0.0.1'] });
  const dir = await tempDir();
  const ca = await writePair(`${dir}/ca`, authority);
  const tls = await writePair(dir, made());
  await using backend = await startBackend({
    settings: { tls, 'v2-listener': { port: 0 }, 'agent-listener': { port: 0 } },
  });
  const { url, v2Url, agentUrl } = backend;
  expect([url, v2Url, agentUrl].map((one) => new URL(one).protocol)).toEqual(['https:', 'https:', 'wss:']);
  const env = { MON_TRUSTED_CA_FILE: ca['cert-file'] };
  expect(await openApiClient({ backend: url, env }).clients()).toEqual([]);
  expect(await openV2Client({ backend: v2Url, env }).list(['namespaces'])).toEqual([{ name: 'default' }]);
  await writePair(dir, made());
  await backend.reload();
  expect(backend.log.records.at(-1)?.message).toBe('new certificate is now in use');
  expect(await openApiClient({ backend: url.replace('https', 'wss'), env }).clients()).toEqual([]);
});

test('a backend with insecure-http logs a warning at each start', async () => {
  await using backend = await startBackend({
    settings: {
      api: { user: 'ops', password: 'x' },
      'agent-listener': { bind: '0.0.0.0', port: 0 },
      'insecure-http': true,
    },
  });
  expect(backend.log.records).toContainEqual({
    level: 'warn',
    message: 'listener without TLS is reachable from other hosts, so passwords and keys can be intercepted: set up TLS',
    fields: { bind: '0.0.0.0', listener: 'agent-listener' },
  });
});
