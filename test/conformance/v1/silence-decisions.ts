import type { Line } from '../scenario.ts';
import { at, itemsOf } from '../decision.ts';
import { onEveryBody, onRequest, pageOf, shorterPage, withStatus, type LineDecision } from './decision.ts';
import { succeeded } from './recorded-past.ts';

/** Decisions about silences. */
export const SILENCE_DECISIONS: readonly LineDecision[] = [
  onEveryBody('completion 1.2 DEFECT, explicit nulls: null counts as absent', (value, key) => {
    if (key === 'expire_on_resolve' && value === null) return false;
    if ((key !== 'id' && key !== 'silenced_by') || typeof value !== 'string') return value;
    return value.replace(/^:/, '*:').replace(/:$/, ':*');
  }),
  onRequest(
    ({ segments: [collection, by, id], answer }) =>
      collection === 'silenced' &&
      by === 'ids' &&
      typeof at(answer.body, 'id') === 'string' &&
      at(answer.body, 'id') !== id,
    'completion 1.2 DEFECT, GET /silenced/ids/:id: ids are exact, not suffix patterns',
    (asked) => withStatus(asked, 404),
  ),
  onRequest(
    ({ segments: [collection, by, name], answer }) =>
      collection === 'silenced' &&
      by === 'subscriptions' &&
      itemsOf(answer.body).some((entry) => at(entry, 'subscription') !== name),
    'completion, Decisions: GET /silenced/subscriptions/:subscription is exact',
    ({ segments, answer }) => ({
      ...answer,
      body: itemsOf(answer.body).filter((entry) => at(entry, 'subscription') === segments[2]),
    }),
  ),
  onRequest(
    ({ segments: [collection, by, name], answer }) =>
      collection === 'silenced' && by === 'checks' && itemsOf(answer.body).some((entry) => at(entry, 'check') !== name),
    'completion 1.20 DEFECT, suffix lookups: /silenced/checks is exact',
    ({ segments, answer }) => ({
      ...answer,
      body: itemsOf(answer.body).filter((entry) => at(entry, 'check') === segments[2]),
    }),
  ),
  {
    ...onRequest(
      ({ method, segments: [collection, by, id], answer }) =>
        method === 'DELETE' && collection === 'silenced' && by === 'ids' && id !== undefined && answer.status === 405,
      'completion 1.2 extension: DELETE /silenced/ids/:id',
      (asked) =>
        withStatus(asked, activeEntry(asked.segments[2], asked.line, asked.earlier) === undefined ? 404 : 204, ''),
    ),
    restore: ({ line, earlier }) => {
      if (line.kind !== 'exchange') return [];
      const entry = activeEntry(decodeURIComponent(line.request.path.split('/')[3] ?? ''), line, earlier);
      return entry === undefined ? [] : [{ request: ['POST', '/silenced', entry], status: 201 }];
    },
  },
  onRequest(
    ({ path, answer }) => path.startsWith('/silenced') && countsTooMany(answer) > 0,
    'X-Pagination.total never counts entries that have expired',
    ({ answer }) => shorterPage(answer, countsTooMany(answer)),
  ),
  {
    ...onRequest(
      ({ method, path, json, answer }) =>
        method === 'POST' && path === '/silenced' && Number(at(json, 'expire')) < 0 && answer.status === 201,
      'completion 1.2 DEFECT, expire -1 on POST is never, and less is refused; at the peer the entry vanishes at once',
      (asked) => (Number(at(asked.json, 'expire')) === -1 ? asked.answer : withStatus(asked, 400)),
    ),
    restore: ({ line }) => {
      const entry: unknown = line.kind === 'exchange' ? JSON.parse(line.request.body ?? 'null') : undefined;
      if (at(entry, 'expire') !== -1) return [];
      return [{ request: ['POST', '/silenced/clear', { id: idOf(entry) }], status: 204 }];
    },
  },
];

/**
 * Returns by how many the total of a page is too high. It is known only for a page that is not full, because that page
 * must be the last one.
 */
function countsTooMany(answer: Parameters<typeof pageOf>[0]): number {
  const page = pageOf(answer);
  const shown = itemsOf(answer.body).length;
  if (page === undefined || shown === 0 || shown >= page.limit) return 0;
  return page.total - page.offset - shown;
}

function idOf(entry: unknown): string {
  const [subscription, check] = [at(entry, 'subscription'), at(entry, 'check')].map((name) =>
    typeof name === 'string' ? name : '*',
  );
  return `${String(subscription)}:${String(check)}`;
}

/** Returns the posted body of a silence that has neither expired nor been cleared; `undefined` if there is none. */
function activeEntry(id: string | undefined, line: Line, earlier: readonly Line[]): unknown {
  const posted = succeeded(
    earlier,
    ({ method, path, json }) => method === 'POST' && path === '/silenced' && idOf(json) === id,
  ).at(-1);
  if (posted === undefined) return undefined;
  const seconds = Number(at(posted.asked.json, 'expire') ?? Infinity);
  const isExpired = seconds < 0 || posted.asked.line.clock + seconds <= line.clock;
  const isCleared = succeeded(
    earlier,
    ({ method, path, json }) =>
      method === 'POST' && path === '/silenced/clear' && (at(json, 'id') ?? idOf(json)) === id,
  ).some(({ index }) => index > posted.index);
  return isExpired || isCleared ? undefined : posted.asked.json;
}
