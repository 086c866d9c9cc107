import type { RequestListener } from 'node:http';
import { openApiClient } from '../../shared/client/api-client.ts';
import type { BulkRequest } from '../../shared/schemas/bulk.ts';
import { silencedId } from '../../shared/domain/silencing.ts';
import type { EventRow, FeedRows } from '../../shared/schemas/feed.ts';
import { openAll } from '../../tui/effects/all-contexts.ts';
import type { ShownBackend } from '../../tui/effects/shown-backend.ts';
import { byKey, eventOf, openRig, type ConsoleRig, type RigOptions, type SeenRequest } from './console-rig.ts';
import { aClientRow } from './feed-rows.ts';
import { startFeedServer, type FeedServer } from './feed-server.ts';

/** A scripted backend whose data is part of a merged list, with the requests that it has received. */
export interface ScriptedMember {
  readonly server: FeedServer;
  readonly requests: readonly SeenRequest[];
  /** Rejects all further changes with this status. */
  refuseChanges(status: number): void;
  /** Returns the operations of all bulk requests, in the order of arrival. */
  readonly operations: () => readonly Readonly<Record<string, unknown>>[];
}

/**
 * Starts a scripted backend with these events. It accepts all bulk operations, and its silences can be undone.
 *
 * @param answers callback that returns a response body for a path; `undefined` for paths that it does not handle
 */
export async function startMember(
  events: readonly EventRow[],
  more: FeedRows = {},
  answers: (path: string) => unknown = () => undefined,
): Promise<ScriptedMember> {
  const requests: SeenRequest[] = [];
  let refusal: number | undefined;
  const http: RequestListener = (incoming, outgoing) => {
    void (async () => {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
      const body = text === '' ? undefined : (JSON.parse(text) as unknown);
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', body };
      requests.push(request);
      const isRefused = refusal !== undefined && request.method !== 'GET';
      const answer = isRefused ? undefined : (answers(request.path) ?? answerOf(request, events));
      outgoing.writeHead(answer === undefined ? ((isRefused ? refusal : undefined) ?? 404) : 200, {
        'content-type': 'application/json',
      });
      outgoing.end(JSON.stringify(answer ?? {}));
    })();
  };
  const clients = Object.fromEntries(
    events.map(({ client }) => [client, aClientRow({ name: client, subscriptions: ['linux', `client:${client}`] })]),
  );
  const server = await startFeedServer({
    http,
    onSubscribe: (connection) =>
      connection.send(
        { type: 'snapshot', seq: 1, rows: { events: byKey(events), clients, ...more } },
        { type: 'live', seq: 1 },
      ),
  });
  const operations = (): readonly Readonly<Record<string, unknown>>[] =>
    requests.filter(({ path }) => path.endsWith('/bulk')).flatMap(({ body }) => (body as BulkRequest).operations);
  return { server, requests, operations, refuseChanges: (status) => void (refusal = status) };
}

/** Opens a console that shows all these backends in one merged list. */
export async function openAllRig(
  members: Readonly<Record<string, ScriptedMember>>,
  options: Pick<RigOptions, 'columns' | 'rows'> = {},
): Promise<ConsoleRig> {
  const names = Object.keys(members);
  const open = (name: string): Promise<ShownBackend> => {
    const backend = members[name]?.server.url ?? '';
    return Promise.resolve({ backend, api: async () => openApiClient({ backend }) });
  };
  const [first] = Object.values(members);
  if (first === undefined) throw new Error('a merged list needs a backend');
  const all = await openAll(names, open);
  return openRig({
    ...options,
    server: first.server,
    parts: { ...all, contexts: { names, current: 'all', open } },
  });
}

function answerOf({ method, path, body }: SeenRequest, events: readonly EventRow[]): unknown {
  const row = events.find(({ client, check }) => path === `/events/${client}/${check}`);
  if (method === 'GET' && row !== undefined) return eventOf(row);
  if (method === 'POST' && path === '/request') return { issued: 1 };
  if (!path.endsWith('/bulk')) return undefined;
  return {
    results: (body as BulkRequest).operations.map((operation) =>
      operation.op === 'silence'
        ? { ok: true, undo: { op: 'clear', id: silencedId(operation.subscription, operation.check), if_timestamp: 7 } }
        : { ok: true },
    ),
  };
}
