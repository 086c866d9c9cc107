import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsNamedBy } from '../../../../../daemon/backend/model/registry/silenced-events.ts';
import { Namespace } from '../../../../../daemon/backend/model/registry/namespace.ts';
import { resultListing } from '../../../../../daemon/backend/results/queries.ts';
import { NO_CHECK_STATE, nextCheckState } from '../../../../../shared/domain/event.ts';
import type { Client } from '../../../../../shared/schemas/client.ts';

const aClient = (name: string, subscriptions: readonly string[] = []): Client => ({
  name,
  address: '192.0.2.1',
  subscriptions: [...subscriptions, `client:${name}`],
  timestamp: 100,
  version: '1.9.0',
});

/** Stores a result with this status in the namespace. */
function report(
  namespace: Namespace,
  client: string,
  check: string,
  status: number,
  output = `status ${String(status)}`,
): void {
  const owner = namespace.clients.get(client) ?? namespace.putClient(aClient(client), { signature: '' });
  const entry = namespace.ensureCheck(owner, check);
  const result = { name: check, output, status, executed: 100, issued: 100 };
  const { state } = nextCheckState(entry.state, result, { now: 100, newId: () => 'id' });
  namespace.setCheck(entry, state, result, output);
}

const namesOf = (entries: Iterable<{ readonly client: { readonly name: string }; readonly name: string }>): string[] =>
  [...entries].map(({ client, name }) => `${client.name}/${name}`);

test('events are listed by client and check, in whatever order they opened', () => {
  const namespace = new Namespace('default');
  for (const [client, check] of [
    ['web-2', 'cpu'],
    ['db', 'disk'],
    ['web-10', 'cpu'],
    ['db', 'cpu'],
  ] as const) {
    report(namespace, client, check, 2);
  }
  report(namespace, 'web-2', 'fine', 0);
  expect(namesOf(namespace.events())).toEqual(['db/cpu', 'db/disk', 'web-10/cpu', 'web-2/cpu']);
});

test.each<{ name: string; subscription: string | null; check: string | null; expected: string[] }>([
  { name: 'a check everywhere', subscription: null, check: 'disk', expected: ['a/disk', 'b/disk'] },
  { name: 'a subscription', subscription: 'web', check: null, expected: ['a/cpu', 'a/disk', 'b/disk'] },
  { name: 'a check of a subscription', subscription: 'web', check: 'cpu', expected: ['a/cpu'] },
  { name: 'a client by its own subscription', subscription: 'client:b', check: null, expected: ['b/disk'] },
  { name: 'no existing event', subscription: 'db', check: 'cpu', expected: [] },
  { name: 'a check without an event', subscription: null, check: 'fine', expected: [] },
])('the index finds the events that a silence covers: $name', ({ subscription, check, expected }) => {
  const namespace = new Namespace('default');
  namespace.putClient(aClient('a', ['web']), { signature: '' });
  namespace.putClient(aClient('b', ['web', 'db-only']), { signature: '' });
  report(namespace, 'a', 'cpu', 1);
  report(namespace, 'a', 'disk', 2);
  report(namespace, 'b', 'disk', 2);
  report(namespace, 'b', 'fine', 0);
  expect(namesOf(eventsNamedBy(namespace, subscription, check)).toSorted()).toEqual(expected);
});

test('a silence on a check name covers the events of all alerts that share this name', () => {
  const namespace = new Namespace('default');
  namespace.putClient(aClient('a', ['web']), { signature: '' });
  for (const check of ['Down', 'Down..critical', 'Down..critical..1', 'Downs']) report(namespace, 'a', check, 2);
  report(namespace, 'b', 'Down..warning', 1);
  const named = (subscription: string | null, check: string): string[] =>
    namesOf(eventsNamedBy(namespace, subscription, check)).toSorted();
  expect(named(null, 'Down')).toEqual(['a/Down', 'a/Down..critical', 'a/Down..critical..1', 'b/Down..warning']);
  expect(named('web', 'Down..critical')).toEqual(['a/Down..critical', 'a/Down..critical..1']);
  report(namespace, 'a', 'Down..critical..1', 0);
  expect(named('web', 'Down..critical')).toEqual(['a/Down..critical']);
});

test('a client whose subscriptions changed is found only by its new subscriptions', () => {
  const namespace = new Namespace('default');
  namespace.putClient(aClient('a', ['web']), { signature: '' });
  report(namespace, 'a', 'disk', 2);
  namespace.putClient(aClient('a', ['db']), { signature: '' });
  expect(namesOf(eventsNamedBy(namespace, 'web', null))).toEqual([]);
  expect(namesOf(eventsNamedBy(namespace, 'db', null))).toEqual(['a/disk']);
});

test('the first line of the output is kept in memory only while the check has an event', () => {
  const namespace = new Namespace('default');
  report(namespace, 'a', 'disk', 2, 'full: /var\nmore');
  expect(namespace.check('a', 'disk')?.summary).toBe('full: /var');
  report(namespace, 'a', 'disk', 0, 'fine');
  expect(namespace.check('a', 'disk')?.summary).toBe('');
});

test('counters and indexes of a namespace equal a full recount after any changes', () => {
  const client = fc.constantFrom('a', 'b', 'c');
  const check = fc.constantFrom('cpu', 'disk');
  const step = fc.oneof(
    fc.record({ do: fc.constant('report' as const), client, check, status: fc.constantFrom(0, 1, 2, 3, 127) }),
    fc.record({ do: fc.constant('remove check' as const), client, check }),
    fc.record({ do: fc.constant('remove client' as const), client }),
    fc.record({ do: fc.constant('subscribe' as const), client, subscriptions: fc.subarray(['web', 'db']) }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const namespace = new Namespace('default');
      for (const given of steps) {
        const owner = namespace.clients.get(given.client);
        if (given.do === 'report') report(namespace, given.client, given.check, given.status);
        else if (given.do === 'subscribe')
          namespace.putClient(aClient(given.client, given.subscriptions), { signature: '' });
        else if (owner !== undefined && given.do === 'remove client') namespace.removeClient(owner);
        else if (given.do === 'remove check') {
          const entry = owner?.checks.get(given.check);
          if (entry !== undefined) namespace.removeCheck(entry);
        }
        expect(namesOf(namespace.allEvents())).toEqual(namesOf(namespace.events()));
      }
      const entries = [...namespace.clients.values()].flatMap((owner) => owner.sortedChecks());
      const open = entries.filter(({ state }) => state.event !== undefined);
      expect(namesOf(namespace.events())).toEqual(namesOf(open).toSorted());
      for (const owner of namespace.clients.values()) {
        expect(owner.openEvents).toBe(open.filter(({ client: of }) => of === owner).length);
      }
      expect(Object.values(namespace.results).reduce((sum, count) => sum + count, 0)).toBe(entries.length);
      for (const name of ['web', 'db']) {
        const named = open.filter(({ client: of }) => of.subscriptions.includes(name));
        expect(namesOf(eventsNamedBy(namespace, name, null)).toSorted()).toEqual(namesOf(named).toSorted());
      }
      const cpu = open.filter((entry) => entry.name === 'cpu');
      expect(namesOf(eventsNamedBy(namespace, null, 'cpu')).toSorted()).toEqual(namesOf(cpu).toSorted());
      expect(entries.every(({ state }) => state !== NO_CHECK_STATE)).toBe(true);
    }),
  );
});

test('the numbers of results by check and status are right after any changes', () => {
  const namespace = new Namespace('default');
  for (const [client, status] of [
    ['a', 0],
    ['b', 2],
    ['c', 7],
    ['b', 1],
    ['a', 0],
  ] as const) {
    report(namespace, client, 'disk', status);
  }
  report(namespace, 'a', 'cpu', 2);
  expect(namespace.resultsByCheck.countsOfCheck('disk')).toEqual({ ok: 1, warning: 1, critical: 0, unknown: 1 });
  const [b, c] = [namespace.clients.get('b'), namespace.check('c', 'disk')];
  if (b === undefined || c === undefined) throw new Error('they are gone');
  namespace.removeClient(b);
  namespace.removeCheck(c);
  expect(namespace.resultsByCheck.countsOfCheck('disk')).toEqual({ ok: 1, warning: 0, critical: 0, unknown: 0 });
  expect(namespace.resultsByCheck.countsOfCheck('cpu')).toEqual({ ok: 0, warning: 0, critical: 1, unknown: 0 });
  expect(namespace.resultsByCheck.countsOfCheck('nothing')).toEqual({ ok: 0, warning: 0, critical: 0, unknown: 0 });
});

test('any page of results equals the same part of the whole list after any changes', () => {
  const step = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    check: fc.constantFrom('cpu', 'disk', 'load'),
    status: fc.constantFrom(0, 2, undefined),
  });
  fc.assert(
    fc.property(
      fc.array(fc.array(step), { maxLength: 2 }),
      fc.nat({ max: 20 }),
      fc.nat({ max: 20 }),
      (changes, start, count) => {
        const namespaces = changes.map((steps, at) => {
          const namespace = new Namespace(`team-${String(at)}`);
          for (const { client, check, status } of steps) {
            const entry = namespace.check(client, check);
            if (status !== undefined) report(namespace, client, check, status);
            else if (entry !== undefined) namespace.setCheck(entry, entry.state, undefined, undefined);
          }
          return namespace;
        });
        const all = namespaces.flatMap((namespace) =>
          namespace
            .sortedClients()
            .flatMap((client) => client.sortedChecks().filter(({ status }) => status !== undefined)),
        );
        const listing = resultListing(namespaces);
        expect(listing.length).toBe(all.length);
        expect(listing.slice(start, start + count)).toEqual(all.slice(start, start + count));
      },
    ),
  );
});
