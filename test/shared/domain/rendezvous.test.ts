import { expect, test } from 'vitest';
import { rendezvousOrder } from '../../../shared/domain/rendezvous.ts';

const MEMBERS = ['http://mon-1:4567', 'http://mon-2:4567', 'http://mon-3:4567'];
const NAMES = Array.from({ length: 3000 }, (_, at) => `web-${String(at)}`);

test('rendezvous hashing gives every name a stable order of all members', () => {
  for (const name of NAMES.slice(0, 50)) {
    const order = rendezvousOrder(name, MEMBERS);
    expect(order.toSorted()).toEqual(MEMBERS);
    expect(rendezvousOrder(name, MEMBERS.toReversed())).toEqual(order);
  }
});

test('three members are first for a third of the names each, and share the names of a leaving member evenly', () => {
  const orders = NAMES.map((name) => rendezvousOrder(name, MEMBERS));
  for (const member of MEMBERS) {
    const own = orders.filter(([first]) => first === member);
    expect(own.length).toBeGreaterThan(900);
    const others = MEMBERS.filter((other) => other !== member);
    for (const other of others)
      expect(own.filter(([, next]) => next === other).length).toBeGreaterThan(own.length * 0.42);
  }
});

test('a name keeps its first member when another member leaves', () => {
  const [gone = '', ...left] = MEMBERS;
  const stayed = NAMES.filter((name) => rendezvousOrder(name, MEMBERS)[0] !== gone);
  expect(stayed.map((name) => rendezvousOrder(name, left)[0])).toEqual(
    stayed.map((name) => rendezvousOrder(name, MEMBERS)[0]),
  );
});
