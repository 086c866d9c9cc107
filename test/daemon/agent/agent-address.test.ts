import { expect, test } from 'vitest';
import { agentAddress, agentAddresses } from '../../../daemon/agent/agent-address.ts';

test.each<{ backend: string; url: string }>([
  { backend: 'http://127.0.0.1:4567', url: 'ws://127.0.0.1:4567/agent' },
  { backend: 'https://mon.example.org/', url: 'wss://mon.example.org/agent' },
  { backend: 'ws://[::1]:8081', url: 'ws://[::1]:8081/agent' },
  { backend: 'wss://mon.example.org/agent', url: 'wss://mon.example.org/agent' },
  { backend: 'https://example.org/monitoring', url: 'wss://example.org/monitoring/agent' },
])('an agent with the backend address $backend connects to $url', ({ backend, url }) => {
  expect(agentAddress(backend, {})).toEqual({ url, headers: {} });
});

test.each<{ name: string; backend: string; env: Record<string, string>; credentials: string }>([
  { name: 'the URL', backend: 'http://web1:p%40ss@127.0.0.1', env: {}, credentials: 'web1:p@ss' },
  {
    name: 'the environment',
    backend: 'http://127.0.0.1',
    env: { MON_AGENT_CREDENTIALS: 'web1:a:b' },
    credentials: 'web1:a:b',
  },
  {
    name: 'the URL before those in the environment',
    backend: 'ws://web1:x@127.0.0.1',
    env: { MON_AGENT_CREDENTIALS: 'no:no' },
    credentials: 'web1:x',
  },
])('mon-agent uses the credentials in $name', ({ backend, env, credentials }) => {
  expect(agentAddress(backend, env)).toEqual({
    url: 'ws://127.0.0.1/agent',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  });
});

test('the API key of an agent comes from the environment or a setting and overrides user and password', () => {
  const env = { MON_API_KEY: 'mk_a_b', MON_AGENT_CREDENTIALS: 'web1:x' };
  expect(agentAddress('http://127.0.0.1', env).headers).toEqual({ authorization: 'Key mk_a_b' });
  expect(agentAddress('http://127.0.0.1', env, 'mk_c_d').headers).toEqual({ authorization: 'Key mk_c_d' });
});

test.each<{ backend: string; env?: Record<string, string>; message: string }>([
  {
    backend: 'mon.example.org:4567',
    message: 'the backend must be a URL like http://127.0.0.1:4567 or https://mon.example.org',
  },
  {
    backend: 'ftp://mon.example.org',
    message: 'the backend must be a URL like http://127.0.0.1:4567 or https://mon.example.org',
  },
  { backend: '', message: 'the backend must be a URL like http://127.0.0.1:4567 or https://mon.example.org' },
  {
    backend: 'http://127.0.0.1',
    env: { MON_AGENT_CREDENTIALS: 's3cret' },
    message: 'MON_AGENT_CREDENTIALS must be user:password',
  },
])('the backend address "$backend" with the environment $env is rejected', ({ backend, env = {}, message }) => {
  expect(() => agentAddress(backend, env)).toThrow(expect.objectContaining({ code: 'invalid', message }));
});

test('agents with different names try the same list of backend addresses in different orders', () => {
  const list = 'http://mon-1:4567, http://mon-2:4567,https://mon-3';
  const urls = ['ws://mon-1:4567/agent', 'ws://mon-2:4567/agent', 'wss://mon-3/agent'];
  const firsts = new Set<string | undefined>();
  for (let at = 0; at < 20; at++) {
    const addresses = agentAddresses(list, `web-${String(at)}`, {}, 'mk_a_b');
    expect(addresses.map(({ url }) => url).toSorted()).toEqual(urls);
    expect(addresses.every(({ headers }) => headers['authorization'] === 'Key mk_a_b')).toBe(true);
    firsts.add(addresses[0]?.url);
  }
  expect(firsts).toEqual(new Set(urls));
  expect(() => agentAddresses('http://mon-1,', 'web-1', {})).toThrow('the backend must be a URL');
  expect(() => agentAddresses(Array(17).fill('http://mon').join(','), 'web-1', {})).toThrow(
    'at most 16 URLs are allowed',
  );
});
