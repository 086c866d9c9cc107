import type { Line } from '../scenario.ts';
import { at, itemsOf } from '../decision.ts';
import { requestsOf, type Asked } from './decision.ts';

/** A result that the peer accepted. */
export interface SentResult {
  readonly client: string;
  readonly check: Readonly<Record<string, unknown>>;
  /** The JSON of the check as it was sent. */
  readonly text: string;
  readonly isFromAgent: boolean;
  /** The index among the earlier lines. */
  readonly index: number;
  /** The time of the result in epoch seconds. */
  readonly clock: number;
}

/** The client of results that do not name one. */
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

/** Returns the successful requests before a line, with their index among the earlier lines. */
export function succeeded(
  earlier: readonly Line[],
  isAbout: (asked: Asked) => boolean,
): readonly { readonly asked: Asked; readonly index: number }[] {
  return requestsOf(earlier)
    .filter((asked) => asked.answer.status < 300 && isAbout(asked))
    .map((asked) => ({ asked, index: earlier.indexOf(asked.line) }));
}

/** Returns the index of the last deletion of a result: of itself, of its client, or of all results of its check. */
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

/** Returns the last result of each member that an aggregate has had, by client and check. */
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

/** Returns the numeric status of a result; 3 and every other number are unknown. */
export function statusOf({ check }: Pick<SentResult, 'check'>): number {
  return typeof check['status'] === 'number' ? check['status'] : 0;
}

/** Returns the client of the last keepalive, as the peer stores it. */
export function lastKeepalive(name: string, earlier: readonly Line[]): Readonly<Record<string, unknown>> | undefined {
  const line = earlier.findLast(
    (one) => one.kind === 'publish' && one.pipe === 'keepalives' && at(one.payload, 'name') === name,
  );
  if (line?.kind !== 'publish') return undefined;
  const client = line.payload as Readonly<Record<string, unknown>>;
  return { ...client, subscriptions: [...itemsOf(client['subscriptions']), `client:${name}`] };
}
