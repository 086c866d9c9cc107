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

/** All types of feed messages; the compiler checks that the list is complete. */
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

describe('the messages of a consumer in docs/feed.md', () => {
  const requests = EXAMPLES.filter(({ section }) => section === CONSUMER);

  test('docs/feed.md shows every message of a consumer', () => {
    const types = feedRequestSchema.options.map((option) => option.shape.type.value);
    expect(typesIn(EXAMPLES, CONSUMER)).toEqual(['authenticate', ...types].toSorted());
  });

  test.each(requests)('the documented message $type of a feed consumer is valid: $text', ({ type, message }) => {
    const schema = type === 'authenticate' ? feedLoginSchema : feedRequestSchema;
    expect(schema.parse(message)).toEqual(message);
  });

  test('a backend accepts the documented messages of a feed consumer', async () => {
    await using backend = await startBackend();
    const answers = requests
      .filter(({ type }) => type !== 'authenticate')
      .map(async ({ text }) => {
        const socket = new WebSocket(backend.url.replace(/^http/, 'ws') + FEED_PATH, FEED_PROTOCOL);
        const heard: string[] = [];
        socket.on('message', (data: Buffer) => heard.push((JSON.parse(data.toString()) as FeedMessage).type));
        await once(socket, 'open');
        socket.send(text);
        // The response to this ping arrives after the response to the documented message.
        socket.send('{"type":"ping"}');
        while (!heard.includes('pong') && socket.readyState === socket.OPEN) await once(socket, 'message');
        socket.terminate();
        return heard;
      });
    const heard = await Promise.all(answers);
    expect(heard.filter((types) => types.includes('error') || !types.includes('pong'))).toEqual([]);
  });
});

describe('the messages of the backend in docs/feed.md', () => {
  test('docs/feed.md shows every message of the backend to a consumer', () => {
    expect(typesIn(EXAMPLES, BACKEND)).toEqual(Object.keys(SAID).toSorted());
  });

  test.each(EXAMPLES.filter(({ section }) => section === BACKEND))(
    'the documented feed message $type is valid: $text',
    ({ text, message }) => {
      expect(parseFeedFrame(text)).toEqual(message);
    },
  );
});
