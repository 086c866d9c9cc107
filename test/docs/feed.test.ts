import { once } from 'node:events';
import { WebSocket } from 'ws';
import { describe, expect, test } from 'vitest';
import { parseFeedFrame } from '../../shared/client/feed-frames.ts';
import { FEED_PATH, FEED_PROTOCOL, type FeedMessage } from '../../shared/schemas/feed.ts';
import { feedLoginSchema, feedRequestSchema } from '../../shared/schemas/feed-request.ts';
import { repositoryText } from '../support/repository.ts';
import { startBackend } from '../support/running-backend.ts';
import { examplesOf, typesIn } from './examples.ts';

const EXAMPLES = examplesOf(repositoryText('docs/feed.md'));
const CONSUMER = 'Messages from the consumer';
const BACKEND = 'Messages from the backend';

/** All message types; the compiler checks that the list is complete. */
const SAID: Readonly<Record<FeedMessage['type'], true>> = {
  changes: true,
  error: true,
  hello: true,
  live: true,
  message: true,
  missed: true,
  ping: true,
  pong: true,
  reset: true,
  snapshot: true,
  stats: true,
};

describe('what a consumer says, in docs/feed.md', () => {
  const requests = EXAMPLES.filter(({ section }) => section === CONSUMER);

  test('is every message there is', () => {
    const types = feedRequestSchema.options.map((option) => option.shape.type.value);
    expect(typesIn(EXAMPLES, CONSUMER)).toEqual(['authenticate', ...types].toSorted());
  });

  test.each(requests)('$type: $text', ({ type, message }) => {
    const schema = type === 'authenticate' ? feedLoginSchema : feedRequestSchema;
    expect(schema.parse(message)).toEqual(message);
  });

  test('is understood by a backend', async () => {
    await using backend = await startBackend();
    const answers = requests
      .filter(({ type }) => type !== 'authenticate')
      .map(async ({ text }) => {
        const socket = new WebSocket(backend.url.replace(/^http/, 'ws') + FEED_PATH, FEED_PROTOCOL);
        const heard: string[] = [];
        socket.on('message', (data: Buffer) => heard.push((JSON.parse(data.toString()) as FeedMessage).type));
        await once(socket, 'open');
        socket.send(text);
        // The response to the ping arrives after the response to the message above.
        socket.send('{"type":"ping"}');
        while (!heard.includes('pong') && socket.readyState === socket.OPEN) await once(socket, 'message');
        socket.terminate();
        return heard;
      });
    const heard = await Promise.all(answers);
    expect(heard.filter((types) => types.includes('error') || !types.includes('pong'))).toEqual([]);
  });
});

describe('what the backend says, in docs/feed.md', () => {
  test('is every message there is', () => {
    expect(typesIn(EXAMPLES, BACKEND)).toEqual(Object.keys(SAID).toSorted());
  });

  test.each(EXAMPLES.filter(({ section }) => section === BACKEND))('$type: $text', ({ text, message }) => {
    expect(parseFeedFrame(text)).toEqual(message);
  });
});
