import type { ClientRow, EventRow, SilencedRow } from '../../shared/schemas/feed.ts';

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;

/** Returns an event row for a critical event, with overrides. */
export function anEventRow(about: Partial<EventRow> = {}): EventRow {
  return {
    client: 'web-001',
    check: 'http-frontend',
    status: 2,
    action: 'create',
    occurrences: 1,
    since: NOON - 60,
    last: NOON - 2,
    silenced_by: [],
    output: 'connect timeout after 10 s',
    ...about,
  };
}

export function aClientRow(about: Partial<ClientRow> = {}): ClientRow {
  return {
    name: 'web-001',
    address: '192.0.2.1',
    subscriptions: ['web', 'client:web-001'],
    timestamp: NOON - 5,
    version: '1.0.0',
    ...about,
  };
}

export function aSilencedRow(about: Partial<SilencedRow> = {}): SilencedRow {
  return {
    id: 'client:web-001:http-frontend',
    subscription: 'client:web-001',
    check: 'http-frontend',
    reason: 'planned failover',
    creator: 'alice',
    begin: null,
    expire_on_resolve: false,
    timestamp: NOON - 30,
    expire_at: NOON + 3600,
    ...about,
  };
}
