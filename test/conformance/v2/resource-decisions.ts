import { at, itemsOf } from '../decision.ts';
import { onRequest, requestsBefore, type Decision, type Recorded } from './decision.ts';
import type { Exchange } from './recording.ts';

const BAD_REQUEST = { status: 400, body: { code: 1 } };
const HANDLER_TYPES: ReadonlySet<unknown> = new Set(['pipe', 'tcp', 'udp', 'set']);
const PORT_MAX = 65_535;
const CHANGES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Decisions about checks, handlers, entities and silences. */
export const RESOURCE_DECISIONS: readonly Decision[] = [
  onRequest(
    ({ method, answer }) => CHANGES.has(method) && answer.status === 500,
    'it is the fault of the caller: 500 has clients try again what never succeeds',
    ({ answer }) =>
      /namespace .* does not exist/.test(String(at(answer.body, 'message'))) ? { status: 404 } : BAD_REQUEST,
  ),
  onRequest(
    ({ headers, body, answer }) => headers['Content-Type'] === null && body !== undefined && answer.status === 400,
    'the recorded answer loses what was sent: there are clients that name no content type',
    () => ({ status: 201 }),
  ),
  onRequest(
    (request) => /\/entities(?:\/[^/]+)?$/.test(request.path) && isOfAnotherNamespace(request) && wasAccepted(request),
    'lets in who must stay out: rights are those of the namespace in the path, and it writes into another',
    () => BAD_REQUEST,
  ),
  onRequest(
    isHandlerThatNeverDelivers,
    'a handler that can never deliver would lose every alert that is meant for it',
    () => BAD_REQUEST,
  ),
  onRequest(
    ({ method, path, answer }, recorded) =>
      method === 'GET' && path.endsWith('/handlers') && answer.status === 200 && refusedHandlers(recorded).size > 0,
    'handlers that can never deliver were refused',
    ({ answer }, recorded) => {
      const refused = refusedHandlers(recorded);
      const names = itemsOf(answer.body).map((item) => at(item, 'metadata', 'name'));
      return { status: 200, body: names.filter((name) => !refused.has(name)).map((name) => ({ metadata: { name } })) };
    },
  ),
];

function wasAccepted({ method, answer }: Exchange): boolean {
  return (method === 'POST' || method === 'PUT') && answer.status < 300;
}

function isOfAnotherNamespace({ path, body }: Exchange): boolean {
  const inPath = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const named = at(body, 'metadata', 'namespace');
  return inPath !== undefined && typeof named === 'string' && named !== inPath;
}

function isHandlerThatNeverDelivers(request: Exchange): boolean {
  const { path, body } = request;
  if (!/\/handlers(?:\/[^/]+)?$/.test(path) || !wasAccepted(request)) return false;
  return !HANDLER_TYPES.has(at(body, 'type')) || Number(at(body, 'socket', 'port') ?? 0) > PORT_MAX;
}

function refusedHandlers(recorded: Recorded<Exchange>): ReadonlySet<unknown> {
  const refused = requestsBefore(recorded).filter(isHandlerThatNeverDelivers);
  return new Set(refused.map(({ body }) => at(body, 'metadata', 'name')));
}
