import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import { EVENT_SORT_COLUMNS, eventOrder } from '../../../../shared/domain/event-order.ts';
import { matchesSearch, parseSearch, type Search } from '../../../../shared/domain/search.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { eventRow } from '../../feed/rows.ts';
import type { CheckEntry } from '../../registry/namespace.ts';
import { sendList } from '../list.ts';
import { legacyNamespace, type ApiParts } from '../parts.ts';
import { queryOf } from '../query.ts';
import { needs, routes } from '../routes.ts';

/** Events that are looked at until others get their turn: a few milliseconds. */
const TURN = 5000;

/** Events as the feed tells of them, found by a search (`?q=`) and sorted (`?sort=age`, `?sort=-age`). */
export function eventRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { clock } = parts;
  routes(app, '/api/mon/v1/events', {
    GET: needs('read', async (request, reply) => {
      const query = queryOf(request);
      const search = searchOf(query.get('q') ?? '');
      const order = orderOf(query.get('sort') ?? 'status');
      const rows = await foundRows([...legacyNamespace(parts).events()], search, clock.now());
      return sendList(request, reply, rows.toSorted(order), (some) => some);
    }),
  });
}

async function foundRows(entries: readonly CheckEntry[], search: Search, nowMs: number): Promise<EventRow[]> {
  const nowSeconds = Math.floor(nowMs / 1000);
  const found: EventRow[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index > 0 && index % TURN === 0) await turn();
    // It may be resolved by now.
    const row = eventRow(entry, nowMs);
    if (row !== null && matchesSearch(search, row, nowSeconds)) found.push(row);
  }
  return found;
}

/** @throws MonError `invalid`, with the place and what is allowed there */
function searchOf(text: string): Search {
  const search = parseSearch(text);
  if (search.kind === 'search') return search;
  throw new MonError('invalid', `q: ${search.message} (at character ${String(search.position + 1)})`);
}

function orderOf(text: string): (a: EventRow, b: EventRow) => number {
  const isReversed = text.startsWith('-');
  const name = isReversed ? text.slice(1) : text;
  const column = EVENT_SORT_COLUMNS.find((candidate) => candidate === name);
  if (column === undefined) {
    throw new MonError(
      'invalid',
      `sort must be ${EVENT_SORT_COLUMNS.join(', ')}, with - before it the other way round`,
    );
  }
  return eventOrder(column, isReversed);
}
