import { expect, test } from 'vitest';
import { peersToDrop } from '../../../shared/domain/slow-peers.ts';

const limits = { all: 100, bytesPerPeer: 50, stallMs: 1000 };

interface Named {
  readonly name: string;
  readonly waitingBytes: number;
  readonly stalledMs: number;
}

const peer = (name: string, waitingBytes: number, stalledMs = 0): Named => ({ name, waitingBytes, stalledMs });

test.each<{ title: string; peers: Named[]; dropped: Record<string, string> }>([
  { title: 'no consumer is dropped at the limits', peers: [peer('a', 50), peer('b', 50, 1000)], dropped: {} },
  {
    title: 'a consumer that does not read is dropped',
    peers: [peer('a', 1, 1001), peer('b', 50)],
    dropped: { a: 'stalled' },
  },
  {
    title: 'a consumer above its own limit is dropped',
    peers: [peer('a', 51), peer('b', 50)],
    dropped: { a: 'connection_limit' },
  },
  {
    title: 'above the total limit the slowest consumers are dropped first, as many as necessary',
    peers: [peer('a', 40), peer('b', 30, 500), peer('c', 30, 900), peer('d', 40)],
    dropped: { b: 'total_limit', c: 'total_limit' },
  },
  {
    title: 'among consumers that read, the consumer with the most queued data is dropped',
    peers: [peer('a', 40), peer('b', 45), peer('c', 30)],
    dropped: { b: 'total_limit' },
  },
  {
    title: 'consumers that are dropped for another reason free space in the total',
    peers: [peer('a', 50), peer('b', 50), peer('c', 90), peer('d', 30, 2000)],
    dropped: { c: 'connection_limit', d: 'stalled' },
  },
])('the feed drops slow consumers: $title', ({ peers, dropped }) => {
  const found = [...peersToDrop(peers, limits)].map(([{ name }, reason]) => [name, reason] as const);
  expect(Object.fromEntries(found)).toEqual(dropped);
});
