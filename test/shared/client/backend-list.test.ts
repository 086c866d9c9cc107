import { expect, onTestFinished, test } from 'vitest';
import { parseBackendAddresses } from '../../../shared/client/backend-address.ts';
import { openFeed } from '../../../shared/client/feed-client.ts';
import { backendAddress } from '../../../shared/client/local-access.ts';
import { openRequester } from '../../../shared/client/request.ts';
import { FeedRecorder } from '../../support/feed-recorder.ts';
import { startFeedServer } from '../../support/feed-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { deadUrl, startScriptedServer } from '../../support/scripted-server.ts';

const requester = (backends: string) => openRequester(backendAddress(backends, { env: {} }), 5000);

test('a request goes to the next backend of a list when a backend is unreachable; later requests go there at once', async () => {
  const server = await startScriptedServer(() => ({ status: 200, body: [] }));
  const address = backendAddress(`${await deadUrl()}, ${server.url}`, { env: {} });
  const request = openRequester(address, 5000);
  await request({ method: 'POST', path: ['results'], body: {} });
  expect(address.url).toBe(server.url);
  await request({ method: 'GET', path: ['events'] });
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /results', 'GET /events']);
});

test('a request that a backend has rejected, or may have executed, is not sent to another backend', async () => {
  const refusing = await startScriptedServer(() => ({ status: 503, body: { error: 'not now' } }));
  const other = await startScriptedServer(() => ({ status: 200 }));
  const request = requester(`${refusing.url},${other.url}`);
  await expect(request({ method: 'POST', path: ['results'], body: {} })).rejects.toThrow('not now');
  expect(other.seen).toEqual([]);
});

test('a request that reaches no backend of a list fails with the error of the last backend', async () => {
  const request = requester(`${await deadUrl()},${await deadUrl()}`);
  await expect(request({ method: 'GET', path: ['events'] })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^cannot reach the backend at http:.*nothing listens there/),
  });
});

test('a feed resumes with the next backend of a list from its last position', async () => {
  const [first, second] = await Promise.all([startFeedServer(), startFeedServer()]);
  const clock = new ManualClock();
  const recorder = new FeedRecorder();
  const feed = openFeed(
    { backend: `${first.url},${second.url}`, topics: ['events'], clock, random: () => 0 },
    recorder,
  );
  onTestFinished(() => feed.close());
  const connection = await first.connection(0);
  await connection.subscribed();
  connection.send({ type: 'snapshot', seq: 10, rows: { events: {} } }, { type: 'live', seq: 10 });
  await recorder.reaches('live');
  await first.close();
  await recorder.reaches('waiting');
  clock.advance(100);
  expect(await (await second.connection(0)).subscribed()).toMatchObject({ since: 10, store: 'store-1' });
});

test.each([
  { text: 'http://mon-1,', message: 'the backend must be a URL' },
  { text: 'http://mon-1,mon-2:4567', message: 'the backend must be a URL' },
  { text: Array.from({ length: 17 }, () => 'http://mon').join(','), message: 'at most 16 backends' },
])('the backend list $text is rejected', ({ text, message }) => {
  expect(() => parseBackendAddresses(text, {})).toThrow(expect.objectContaining({ code: 'invalid' }));
  expect(() => parseBackendAddresses(text, {})).toThrow(message);
});
