import { describe, expect, test, vi } from 'vitest';
import { agentMessageSchema, backendMessageSchema, type AgentMessage } from '../../shared/schemas/agent.ts';
import { clientSchema } from '../../shared/schemas/client.ts';
import { resultSchema } from '../../shared/schemas/result.ts';
import { AgentPeer } from '../support/agent-peer.ts';
import { repositoryText } from '../support/repository.ts';
import { startBackend } from '../support/running-backend.ts';
import { examplesOf, typesIn } from './examples.ts';

const EXAMPLES = examplesOf(repositoryText('docs/agent-protocol.md'));
const AGENT = 'What an agent says';
const BACKEND = 'What the backend says';

describe('what an agent says, in docs/agent-protocol.md', () => {
  const said = EXAMPLES.filter(({ section }) => section === AGENT);

  test('is every message there is', () => {
    const types = agentMessageSchema.options.map((option) => option.shape.type.value);
    expect(typesIn(EXAMPLES, AGENT)).toEqual(types.toSorted());
  });

  test.each(said)('$type: $text', ({ message }) => {
    const parsed = agentMessageSchema.parse(message);
    const inside =
      parsed.type === 'results'
        ? parsed.results.map(({ check }) => resultSchema.safeParse(check))
        : [clientSchema.safeParse(parsed.client)];
    expect(inside.filter(({ success }) => !success)).toEqual([]);
  });

  test('is understood by a backend', async () => {
    await using backend = await startBackend();
    const agent = await AgentPeer.connect(backend.url);
    const [hello, ...rest] = said.map(({ message }) => message as AgentMessage);
    if (hello !== undefined) agent.say(hello);
    await vi.waitFor(() => expect(agent.heard.map(({ type }) => type)).toEqual(['welcome']));
    for (const message of rest) agent.say(message);
    await vi.waitFor(() => expect(agent.acked).toBe(18));
    expect(agent.heard.map(({ type }) => type)).toEqual(['welcome', 'ack']);
    agent.cut();
  });
});

describe('what the backend says, in docs/agent-protocol.md', () => {
  test('is every message there is', () => {
    const types = backendMessageSchema.options.map((option) => option.shape.type.value);
    expect(typesIn(EXAMPLES, BACKEND)).toEqual(types.toSorted());
  });

  test.each(EXAMPLES.filter(({ section }) => section === BACKEND))('$type: $text', ({ message }) => {
    expect(backendMessageSchema.parse(message)).toEqual(message);
  });
});
