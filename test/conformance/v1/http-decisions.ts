import { METHODS } from 'node:http';
import { at, itemsOf } from '../decision.ts';
import { INSTANCES } from '../instances.ts';
import {
  onBytes,
  onEveryBody,
  onRequest,
  plain,
  requestsOf,
  withStatus,
  type RecordedExchange,
  type LineDecision,
} from './decision.ts';

/** Matches a decoded path segment that needs no percent-encoding. */
const PLAIN_SEGMENT = /^[\w.:|*-]+$/;
const COLLECTIONS: ReadonlySet<string> = new Set([
  'aggregates',
  'checks',
  'clients',
  'events',
  'request',
  'resolve',
  'results',
  'silenced',
]);

/** Names of the attributes that Sensu Core redacts, in the objects in which it redacts at all (completion 1.10). */
const SECRET_KEYS: ReadonlySet<unknown> = new Set([
  'password',
  'passwd',
  'pass',
  'api_key',
  'api_token',
  'access_key',
  'secret_key',
  'private_key',
  'secret',
]);

const REDACTED = 'REDACTED';

/** Decisions about HTTP itself, credentials, headers, and properties that all responses share. */
export const HTTP_DECISIONS: readonly LineDecision[] = [
  onRequest(
    ({ method }) => !METHODS.includes(method),
    'the parser rejects methods that HTTP does not know, before there is a request',
    () => plain(400),
  ),
  onBytes(
    (bytes) => /^[A-Z]+ \/\S*\r\n/.test(bytes),
    'a request line without a version is a request of HTTP/0.9',
    () => 200,
  ),
  onBytes(isMalformed, 'RFC 9112: such bytes are no request, and the parser answers 400', () => 400),
  onRequest(
    ({ path, segments, answer }) =>
      path.split('?', 1)[0]?.includes('%') === true && COLLECTIONS.has(segments[0] ?? '') && answer.status === 404,
    'completion 1.1 DEFECT, percent-encoding in a path: each segment is decoded once, then validated',
    (asked) => decodedResponse(asked),
  ),
  onRequest(
    ({ line, headers, answer }) =>
      credentialsOf(line.instance) !== undefined &&
      headers['Authorization'] !== undefined &&
      isAuthorized(headers['Authorization'], line.instance) !== (answer.status !== 401),
    'RFC 7617: the scheme is in any letter case, a malformed value is 401, and the first colon ends the user name',
    (asked) =>
      isAuthorized(asked.headers['Authorization'] ?? '', asked.line.instance)
        ? {
            ...withStatus(asked, 200),
            sameAs: { ...asked, headers: { ...asked.headers, Authorization: basicOf(asked.line.instance) } },
          }
        : withStatus(asked, 401),
  ),
  onRequest(
    ({ line }) => at(INSTANCES[line.instance ?? ''], 'cors') === false,
    'completion 1.1 DEFECT, CORS: false disables the headers',
    ({ answer }) => ({
      ...answer,
      headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !name.startsWith('Access-'))),
    }),
  ),
  onRequest(
    ({ path, query, answer }) =>
      path.startsWith('/health') && Number(query.get('consumers')) > 0 && hasConsumers(answer),
    'completion, Decisions: a backend that serves has one consumer of each kind; the peer counts none on this transport',
    (asked) => {
      const wanted = Number(asked.query.get('consumers'));
      const problems = itemsOf(asked.answer.body)
        .map((text) => String(text).replace('consumers (0)', 'consumers (1)'))
        .filter((text) => wanted > 1 || !text.includes('consumers'));
      return problems.length === 0 ? withStatus(asked, 204) : withStatus(asked, 412, problems);
    },
  ),
  onEveryBody('completion 1.6 DEFECT and Decisions: secrets are redacted on every output', redacted),
];

/**
 * Returns a copy of the object in which secrets are redacted, or the same object if it contains none. The attribute
 * `redact` of a client replaces the default list of keys.
 */
function redacted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const own = at(value, 'redact');
  const keys = Array.isArray(own) ? new Set(own) : SECRET_KEYS;
  const entries = Object.entries(value as Record<string, unknown>);
  const isShown = ([key, text]: readonly [string, unknown]): boolean =>
    keys.has(key) && typeof text === 'string' && text !== REDACTED;
  if (!entries.some(isShown)) return value;
  return Object.fromEntries(entries.map(([key, item]) => [key, isShown([key, item]) ? REDACTED : item]));
}

/** Whether the body is a list of health problems, one of which says that Sensu Core has too few consumers. */
function hasConsumers({ body }: RecordedExchange['answer']): boolean {
  return itemsOf(body).some((text) => String(text).includes('consumers'));
}

/** Whether a parser that follows RFC 9112 rejects these bytes as malformed. */
function isMalformed(bytes: string): boolean {
  const [head = ''] = bytes.split(/\r\n\r\n|\n\n/, 1);
  const [requestLine = '', ...headers] = head.split(/\r?\n/);
  if (!/^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(requestLine)) return false;
  const hasHost = headers.some((header) => /^host:/i.test(header));
  return (
    /(?<!\r)\n/.test(bytes.slice(0, head.length + 2)) ||
    headers.some((header) => !header.includes(':')) ||
    (requestLine.endsWith('1.1') && !hasHost)
  );
}

/**
 * Returns the response to the request with the decoded path. The status is 400 if the path contains an invalid name, or
 * if the earlier request to the decoded path was rejected because of its body.
 */
function decodedResponse(asked: RecordedExchange): RecordedExchange['answer'] {
  const { segments, path, method, body, answer, earlier } = asked;
  if (!segments.every((segment) => PLAIN_SEGMENT.test(segment))) return withStatus(asked, 400);
  const query = path.split(/(\?.*)/s)[1] ?? '';
  const decoded = { ...asked.line.request, path: `/${segments.join('/')}${query}` };
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { ...answer, sameAs: decoded };
  const twin = requestsOf(earlier).findLast(
    (made) => made.method === method && made.path === decoded.path && made.body === body,
  );
  return twin?.answer ?? { ...answer, sameAs: decoded };
}

function credentialsOf(instance: string | undefined): { readonly user: string; readonly password: string } | undefined {
  const { user, password } = (INSTANCES[instance ?? ''] ?? {}) as Record<string, string | undefined>;
  return user === undefined || password === undefined ? undefined : { user, password };
}

function isAuthorized(header: string, instance: string | undefined): boolean {
  const credentials = credentialsOf(instance);
  const encoded = /^basic +(\S+)$/i.exec(header)?.[1];
  if (credentials === undefined || encoded === undefined) return false;
  const text = Buffer.from(encoded, 'base64').toString();
  return text === `${credentials.user}:${credentials.password}`;
}

function basicOf(instance: string | undefined): string {
  const { user = '', password = '' } = credentialsOf(instance) ?? {};
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
