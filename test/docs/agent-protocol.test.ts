import { describe, expect, test, vi } from 'vitest';
import { SentResults } from '../../daemon/agent/sent-results.ts';
import {
  agentMessageSchema,
  backendMessageSchema,
  type AgentMessage,
  type AgentResult,
  type BackendMessage,
} from '../../shared/schemas/agent.ts';
import { clientSchema } from '../../shared/schemas/client.ts';
import { resultSchema } from '../../shared/schemas/result.ts';
import { AgentPeer } from '../support/agent-peer.ts';
import { repositoryText } from '../support/repository.ts';
import { startBackend } from '../support/running-backend.ts';
import { examplesOf, typesIn } from './examples.ts';

const EXAMPLES = examplesOf(repositoryText('docs/agent-protocol.md'));
const AGENT = 'Messages from the agent';
const BACKEND = 'Messages from the backend';
const DELTA = 'Delta results';

describe('the messages of an agent in docs/agent-protocol.md', () => {
  const agentExamples = EXAMPLES.filter(({ section }) => section === AGENT);

  test('docs/agent-protocol.md shows every message of an agent', () => {
    const types = agentMessageSchema.options.map((option) => option.shape.type.value);
    expect(typesIn(EXAMPLES, AGENT)).toEqual(types.toSorted());
  });

  test.each(agentExamples)('the documented agent message $type is valid: $text', ({ message }) => {
    const parsed = agentMessageSchema.parse(message);
    const inside =
      parsed.type === 'results'
        ? parsed.results.flatMap((result) => ('check' in result ? resultSchema.safeParse(result.check) : []))
        : [clientSchema.safeParse(parsed.client)];
    expect(inside.filter(({ success }) => !success)).toEqual([]);
  });

  test('a backend accepts the documented messages of an agent', async () => {
    await using backend = await startBackend();
    const agent = await AgentPeer.connect(backend.url);
    const [hello, ...rest] = agentExamples.map(({ message }) => message as AgentMessage);
    if (hello !== undefined) agent.say(hello);
    await vi.waitFor(() => expect(agent.heard.map(({ type }) => type)).toEqual(['welcome']));
    for (const message of rest) agent.say(message);
    await vi.waitFor(() => expect(agent.acked).toBe(18));
    expect(agent.heard.map(({ type }) => type)).toEqual(['welcome', 'ack']);
    agent.cut();
  });
});

describe('the messages of the backend in docs/agent-protocol.md', () => {
  test('docs/agent-protocol.md shows every message of the backend to an agent', () => {
    const types = backendMessageSchema.options.map((option) => option.shape.type.value);
    expect(typesIn(EXAMPLES, BACKEND)).toEqual(types.toSorted());
  });

  test.each(EXAMPLES.filter(({ section }) => section === BACKEND))(
    'the documented backend message $type is valid: $text',
    ({ message }) => {
      expect(backendMessageSchema.parse(message)).toEqual(message);
    },
  );
});

describe('the delta results in docs/agent-protocol.md', () => {
  const exchange = EXAMPLES.filter(({ section }) => section === DELTA).map(({ message }) =>
    message['type'] === 'results'
      ? (agentMessageSchema.parse(message) as AgentMessage)
      : (backendMessageSchema.parse(message) as BackendMessage),
  );

  test('an agent sends exactly the documented delta results in response to the documented messages of a backend', () => {
    // The spool contains full results, also for the two results that the page shows as deltas.
    const baseline = fullResults(exchange).find(({ id }) => id === 19)?.check;
    const spool = [
      baseline,
      { ...baseline, executed: 1_767_225_660, issued: 1_767_225_660, duration: 0.011 },
      fullResults(exchange).find(({ id }) => id === 21)?.check,
    ].map((check, at) => ({ id: 19 + at, text: JSON.stringify(check) }));
    const sent = new SentResults({ acked: 18, window: 64, signature: undefined });

    const agentExamples = exchange.map((message) => {
      if (message.type === 'ack') sent.acknowledge(message.id, message.baselines);
      if (message.type === 'resend') sent.rewind(message.after);
      if (message.type !== 'results') return message;
      const ids = new Set(message.results.map(({ id }) => id));
      return JSON.parse(sent.nextFrame(spool.filter(({ id }) => ids.has(id)))) as unknown;
    });
    expect(agentExamples).toEqual(exchange);
    expect(exchange.map(({ type }) => type)).toEqual(['results', 'ack', 'results', 'resend', 'results']);
  });
});

function fullResults(messages: readonly (AgentMessage | BackendMessage)[]): readonly AgentResult[] {
  return messages.flatMap((message) =>
    message.type === 'results' ? message.results.flatMap((result) => ('check' in result ? result : [])) : [],
  );
}
