import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CheckRequest } from '../../../../shared/schemas/agent.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
let v2: V2Peer;
let agent: AgentPeer;

beforeAll(async () => {
  backend = await startBackend({
    batcher: { lingerMs: 0 },
    settings: {
      checks: { docker: { command: "docker ps --format '{{.Names}}'", subscribers: ['linux'], interval: 3600 } },
    },
  });
  v2 = new V2Peer(backend.url);
  agent = await AgentPeer.connect(backend.url, 'web-1');
  await agent.join('spool', { subscriptions: ['linux'] });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const CHECKS = '/namespaces/default/checks';
const COMMAND = 'ping {{ .labels.target | default "none" }}';

/** Executes a check ad hoc, and returns the check requests that the agent received for it. */
async function executeAndReceive(check: string, requests = 1): Promise<readonly CheckRequest[]> {
  expect(await v2.post(`${CHECKS}/${check}/execute`, {})).toMatchObject({ status: 202 });
  return await vi.waitFor(() => {
    const heard = agent.heard.flatMap((message) =>
      message.type === 'check_request' && message.check.name === check ? [message.check] : [],
    );
    expect(heard).toHaveLength(requests);
    return heard;
  });
}

test('check requests mark checks of the v2 API as having v2 tokens, but not configured checks', async () => {
  await v2.put(`${CHECKS}/stored`, {
    command: COMMAND,
    interval: 60,
    subscriptions: ['linux'],
    metadata: { name: 'stored' },
  });
  expect(await executeAndReceive('stored')).toMatchObject([{ command: COMMAND, entity_tokens: true }]);
  const [configured] = await executeAndReceive('docker');
  expect(configured).toMatchObject({ command: "docker ps --format '{{.Names}}'" });
  expect(configured).not.toHaveProperty('entity_tokens');
});

test('the backend substitutes tokens in proxy requests and skips entities without a value for a token', async () => {
  for (const [name, labels] of [
    ['switch-1', { target: '192.0.2.9 {{ .name }}' }],
    ['switch-2', { target: '192.0.2.10' }],
    ['switch-3', null],
  ] as const) {
    await v2.put(`/namespaces/default/entities/${name}`, { entity_class: 'proxy', metadata: { name, labels } });
  }
  await v2.put(`${CHECKS}/proxied`, {
    command: 'ping {{ .labels.target }}',
    interval: 60,
    subscriptions: ['linux'],
    proxy_requests: { entity_attributes: ["entity.entity_class == 'proxy'"] },
    metadata: { name: 'proxied' },
  });
  const requests = await executeAndReceive('proxied', 2);
  expect(requests).toMatchObject([
    { command: 'ping 192.0.2.9 {{ .name }}', source: 'switch-1' },
    { command: 'ping 192.0.2.10', source: 'switch-2' },
  ]);
  // Without `entity_tokens`, the agent does not substitute tokens a second time.
  for (const request of requests) expect(request).not.toHaveProperty('entity_tokens');
  expect(backend.log.records.map(({ fields }) => fields)).toContainEqual({
    check: 'proxied',
    clients: 1,
    first_clients: ['switch-3'],
    unmatched_tokens: ['{{ .labels.target }} has no value: set it, or add | default "..."'],
  });
});
