import { isErrorCode } from '../../shared/errors.ts';
import type { Answer } from '../support/raw-http.ts';
import type { RecordedResponse, RecordedRequest } from './scenario.ts';

/** Names of attributes whose values differ in each run; they are compared only by type. */
const BY_TYPE = new Set([
  'timestamp',
  'issued',
  'executed',
  'last_ok',
  'last_state_change',
  'last_execution',
  'begin',
  'duration',
  'version',
]);
/** Names of attributes that are lists of names in arbitrary order. */
const LISTS_OF_NAMES = new Set(['checks', 'clients']);
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Tolerance for countdowns in seconds: the recorder's clock counts whole seconds, and a countdown may be read at any
 * time within a second.
 */
const COUNTDOWN_TOLERANCE = 2;

/** Matches the path of an aggregate's summary. */
const AGGREGATE = /^\/aggregates\/[^/]+$/;

/** Name of a definition that the reference forbids, so that the replayed settings do not contain it. */
const DROPPED_DEFINITION = 'no_subs_check';

/**
 * Compares a response with the recorded one.
 *
 * @returns the differences as text; empty if there are none
 */
export function compareResponse(request: RecordedRequest, expected: RecordedResponse, actual: Answer): string[] {
  const problems = compareStatus(expected, actual);
  if (problems.length > 0 || expected.isPlain) return problems;
  return [...compareHeaders(expected, actual), ...compareBody(request, expected, actual)];
}

export function compareStatus(expected: RecordedResponse, actual: Answer): string[] {
  return actual.status === expected.status
    ? []
    : [`status: expected ${String(expected.status)}, got ${String(actual.status)} ${actual.text.slice(0, 120)}`];
}

function compareHeaders(expected: RecordedResponse, actual: Answer): string[] {
  const problems: string[] = [];
  const recorded = new Map(Object.entries(expected.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const cors = corsOf(recorded.keys());
  if (corsOf(Object.keys(actual.headers)).join() !== cors.join())
    problems.push(`CORS headers: expected ${cors.join()}`);
  for (const name of [...cors, 'www-authenticate']) {
    const value = recorded.get(name);
    if (value !== undefined && actual.headers[name] !== value) problems.push(`${name}: expected ${value}`);
  }
  const id = recorded.get('x-request-id');
  if (id !== undefined && id !== '<uuid>' && actual.headers['x-request-id'] !== id) problems.push(`no echo of ${id}`);
  if (recorded.get('x-pagination') !== actual.headers['x-pagination']) {
    problems.push(`X-Pagination: expected ${String(recorded.get('x-pagination'))}`);
  }
  const missing = (recorded.get('allow') ?? '')
    .split(', ')
    .filter((method) => method !== '' && actual.headers['allow']?.split(', ').includes(method) !== true);
  if (missing.length > 0) problems.push(`Allow lacks ${missing.join()}`);
  return problems;
}

function corsOf(names: Iterable<string>): string[] {
  return [...names].filter((name) => name.startsWith('access-control-')).toSorted();
}

function compareBody({ method, path }: RecordedRequest, expected: RecordedResponse, actual: Answer): string[] {
  if (method === 'HEAD') return actual.text === '' ? [] : ['HEAD has a body'];
  const resource = path.split('?', 1)[0];
  // Some error responses have a list as their body, which is compared like any other: 412 of /health, and 404 of the
  // members of an aggregate.
  if (expected.status >= 400 && !Array.isArray(expected.body)) return compareErrorBody(method, resource, actual);
  if (expected.body === '' || expected.body === undefined) return actual.text === '' ? [] : ['expected no body'];
  if (resource === '/info') return shapeProblems(expected.body, actual.body, '$');
  if (resource === '/settings') return compareSettings(expected.body, actual.body);
  const comparable = AGGREGATE.test(resource ?? '') ? withoutAdditions(actual.body) : actual.body;
  return problemsBetween(normalized(expected.body, ''), normalized(comparable, ''), '$');
}

/**
 * Returns the summary of an aggregate without the counts that only `mon` has (user-demands 25).
 * test/daemon/backend/aggregates/routes.test.ts tests these counts.
 */
function withoutAdditions(summary: unknown): unknown {
  const { results, ...rest } = summary as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const { silenced: _silenced, down: _down, ...counts } = results ?? {};
  return { ...rest, results: counts };
}

/**
 * Checks the body of an error (decision, error bodies). `mon` sends a reason even where Sensu Core does not, except for
 * the 404 of /resolve. The body also has a stable error code (design, house 2), which clients of the v1 API ignore.
 */
function compareErrorBody(method: string, resource: string | undefined, actual: Answer): string[] {
  if (method === 'POST' && resource === '/resolve' && actual.status === 404) {
    return actual.text === '' ? [] : ['the 404 of /resolve has a body'];
  }
  const { error, code } = (actual.body ?? {}) as { readonly error?: unknown; readonly code?: unknown };
  const problems: string[] = [];
  if (typeof error !== 'string' || error.length <= 5) problems.push(`no reason: ${actual.text.slice(0, 80)}`);
  if (!isErrorCode(code)) problems.push(`no code: ${actual.text.slice(0, 80)}`);
  return problems;
}

/** Compares the definitions in the settings. The other settings of Sensu Core do not exist in `mon`. */
function compareSettings(expected: unknown, actual: unknown): string[] {
  return ['checks', 'filters', 'mutators', 'handlers'].flatMap((section) => {
    const { [DROPPED_DEFINITION]: _dropped, ...definitions } = sectionOf(expected, section);
    return problemsBetween(normalized(definitions, ''), normalized(sectionOf(actual, section), ''), `$.${section}`);
  });
}

function sectionOf(settings: unknown, section: string): Readonly<Record<string, unknown>> {
  return (settings as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[section] ?? {};
}

/** Checks that every recorded key is present with a value of the recorded type. */
function shapeProblems(expected: unknown, actual: unknown, at: string): string[] {
  if (typeName(expected) !== typeName(actual))
    return [`${at}: expected ${typeName(expected)}, got ${typeName(actual)}`];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const [first] = expected as readonly unknown[];
    return typeof first === 'object' ? shapeProblems(first, actual[0], `${at}[0]`) : [];
  }
  if (!isObject(expected) || !isObject(actual)) return [];
  return Object.entries(expected).flatMap(([key, value]) => shapeProblems(value, actual[key], `${at}.${key}`));
}

/**
 * Returns a value in a form for comparison: lists are sorted, because their order is random in Sensu Core, and varying
 * values are replaced by their types.
 */
export function normalized(value: unknown, key: string): unknown {
  if (BY_TYPE.has(key)) return `<${typeName(value)}>`;
  if (typeof value === 'string') return UUID.test(value) ? '<uuid>' : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => normalized(item, ''));
    return LISTS_OF_NAMES.has(key) || items.some(isObject)
      ? items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
      : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, normalized(item, name)]));
}

function sortKey(value: unknown): string {
  return JSON.stringify(value, (key, item: unknown) => (key === 'expire' && Number(item) > 0 ? 'countdown' : item));
}

function problemsBetween(expected: unknown, actual: unknown, at: string): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) {
      return [`${at}: expected ${String(expected.length)} items, got ${String(actual.length)}`];
    }
    return expected.flatMap((item, index) => problemsBetween(item, actual[index], `${at}[${String(index)}]`));
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => problemsBetween(expected[key], actual[key], `${at}.${key}`));
  }
  if (at.endsWith('.expire') && Number(expected) > 0 && Number(actual) > 0) {
    if (Math.abs(Number(expected) - Number(actual)) <= COUNTDOWN_TOLERANCE) return [];
  }
  return Object.is(expected, actual) ? [] : [`${at}: expected ${displayText(expected)}, got ${displayText(actual)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function displayText(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 120);
}
