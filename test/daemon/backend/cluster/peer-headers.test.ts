import { expect, test } from 'vitest';
import {
  answerHeaders,
  handshakeHeaders,
  PEER_HEADERS,
  requestHeaders,
} from '../../../../daemon/backend/cluster/forwarding/peer-headers.ts';

test('a forwarded response contains no CORS headers of the leader', () => {
  expect(
    answerHeaders({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
    }),
  ).toEqual({ 'content-type': 'application/json' });
});

test('an agent cannot set the headers that only backends may send', () => {
  const forged = Object.fromEntries(Object.values(PEER_HEADERS).map((name) => [name, 'forged']));
  expect(handshakeHeaders({ ...forged, host: 'a', origin: 'b', 'sensu-agentname': 'web-1' })).toEqual({
    'sensu-agentname': 'web-1',
  });
  expect(requestHeaders({ ...forged, accept: 'text/plain' })).toEqual({ accept: 'text/plain' });
});

test('a follower forwards the headers that authenticate callbacks of chats', () => {
  const signed = {
    'x-slack-request-timestamp': '1',
    'x-slack-signature': 'v0=0',
    'x-telegram-bot-api-secret-token': 'secret',
  };
  expect(requestHeaders({ ...signed, cookie: 'a=b' })).toEqual(signed);
});
