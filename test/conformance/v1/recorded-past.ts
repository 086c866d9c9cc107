import type { Line } from '../scenario.ts';
import { at, itemsOf } from '../decision.ts';
import { requestsOf, type RecordedExchange } from './decision.ts';

/** A recorded result that Sensu Core accepted. */
export interface SentResult {
  readonly client: string;
  readonly check: Readonly<Record<string, unknown>>;
  /** JSON text of the check, exactly as it was sent. */
  readonly text: string;
  readonly isFromAgent: boolean;
  /** Index of the recording line among the earlier lines. */
  readonly index: number;
  /** Time at which the result was sent, in epoch seconds. */
  readonly clock: number;
}

/** Name of the client to which Sensu Core assigns a result that names no client. */
const OWN_CLIENT = 'sensu-api';

export function resultsSent(earlier: readonly Line[]): readonly SentResult[] {
  return earlier.flatMap((line, index): SentResult[] => {
    if (line.kind === 'publish') return publishedResult(line, index);
    if (line.kind !== 'exchange') return [];
    const { method, path, body } = line.request;
    if (method !== 'POST' || path !== '/results' || line.answer.status !== 202 || body === null) return [];
    const check = JSON.parse(body) as Record<string, unknown>;
    const client = typeof check['source'] === 'string' ? check['source'] : OWN_CLIENT;
    return [{ client, check, text: body, isFromAgent: false, index, clock: line.clock }];
  });
}

function publishedResult(line: Extract<Line, { readonly kind: 'publish' }>, index: number): SentResult[] {
  if (line.pipe !== 'results' || typeof line.payload !== 'object') return [];
  const { client, check } = line.payload as { readonly client: string; readonly check: Record<string, unknown> };
  const source = check['source'];
  const name = typeof source === 'string' ? source : client;
  return [{ client: name, check, text: JSON.stringify(check), isFromAgent: true, index, clock: line.clock }];
}

export function keyOf(client: unknown, check: unknown): string {
  return JSON.stringify([client, check]);
}

/** Returns the successful requests among the earlier lines that match `isAbout`, each with its index. */
export function succeeded(
  earlier: readonly Line[],
  isAbout: (asked: RecordedExchange) => boolean,
): readonly { readonly asked: RecordedExchange; readonly index: number }[] {
  return requestsOf(earlier)
    .filter((asked) => asked.answer.status < 300 && isAbout(asked))
    .map((asked) => ({ asked, index: earlier.indexOf(asked.line) }));
}

/**
 * Returns the index of the last request that deleted a result: by itself, with its client, or with all results of its
 * check. Returns -1 if there is none.
 */
export function deletedAt(client: string, check: unknown, earlier: readonly Line[]): number {
  const deletions = succeeded(
    earlier,
    ({ method, segments: [collection, name, second] }) =>
      method === 'DELETE' &&
      ((collection === 'results' && name === client && second === check) ||
        (collection === 'clients' && name === client) ||
        (collection === 'checks' && name === check)),
  );
  return deletions.at(-1)?.index ?? -1;
}

export interface Member extends SentResult {
  readonly isDeleted: boolean;
}

/**
 * Returns the last result of each current or deleted member of an aggregate. A deletion of the aggregate removes the
 * members before it.
 */
export function membersOf(name: string, earlier: readonly Line[]): readonly Member[] {
  const emptied = succeeded(
    earlier,
    ({ method, segments }) => method === 'DELETE' && segments[0] === 'aggregates' && segments[1] === name,
  );
  const since = emptied.at(-1)?.index ?? -1;
  const members = new Map<string, Member>();
  for (const sent of resultsSent(earlier)) {
    if (sent.index < since || !aggregatesOf(sent.check).includes(name)) continue;
    const isDeleted = deletedAt(sent.client, sent.check['name'], earlier) > sent.index;
    members.set(keyOf(sent.client, sent.check['name']), { ...sent, isDeleted });
  }
  return [...members.values()];
}

function aggregatesOf(check: SentResult['check']): readonly unknown[] {
  const { aggregates, aggregate, name } = check;
  if (Array.isArray(aggregates)) return itemsOf(aggregates);
  return aggregate === true ? [name] : [aggregate];
}

/** Returns the numeric status of a result; 0 if its status is not a number. */
export function statusOf({ check }: Pick<SentResult, 'check'>): number {
  return typeof check['status'] === 'number' ? check['status'] : 0;
}

/**
 * Returns the client from its last keepalive, in the form in which Sensu Core stores it; `undefined` without a
 * keepalive.
 */
export function lastKeepalive(name: string, earlier: readonly Line[]): Readonly<Record<string, unknown>> | undefined {
  const line = earlier.findLast(
    (one) => one.kind === 'publish' && one.pipe === 'keepalives' && at(one.payload, 'name') === name,
  );
  if (line?.kind !== 'publish') return undefined;
  const client = line.payload as Readonly<Record<string, unknown>>;
  return { ...client, subscriptions: [...itemsOf(client['subscriptions']), `client:${name}`] };
}
