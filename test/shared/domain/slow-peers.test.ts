import { expect, test } from 'vitest';
import { peersToCut } from '../../../shared/domain/slow-peers.ts';

const limits = { all: 100, each: 50, stallMs: 1000 };

interface Named {
  readonly name: string;
  readonly waitingBytes: number;
  readonly stalledMs: number;
}

const peer = (name: string, waitingBytes: number, stalledMs = 0): Named => ({ name, waitingBytes, stalledMs });

test.each<{ because: string; peers: Named[]; cut: Record<string, string> }>([
  { because: 'as much as may wait for one and for all', peers: [peer('a', 50), peer('b', 50, 1000)], cut: {} },
  { because: 'who does not read goes', peers: [peer('a', 1, 1001), peer('b', 50)], cut: { a: 'stalled' } },
  { because: 'who has too much goes', peers: [peer('a', 51), peer('b', 50)], cut: { a: 'each' } },
  {
    because: 'of too much in all the slowest go first, as many as needed',
    peers: [peer('a', 40), peer('b', 30, 500), peer('c', 30, 900), peer('d', 40)],
    cut: { b: 'all', c: 'all' },
  },
  {
    because: 'of those that read the one with the most',
    peers: [peer('a', 40), peer('b', 45), peer('c', 30)],
    cut: { b: 'all' },
  },
  {
    because: 'who has to go anyway makes room for the others',
    peers: [peer('a', 50), peer('b', 50), peer('c', 90), peer('d', 30, 2000)],
    cut: { c: 'each', d: 'stalled' },
  },
])('slow peers are cut off: $because', ({ peers, cut }) => {
  const found = [...peersToCut(peers, limits)].map(([{ name }, reason]) => [name, reason] as const);
  expect(Object.fromEntries(found)).toEqual(cut);
});
