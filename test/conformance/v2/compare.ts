/** Names of attributes whose values differ in each run; they are compared only by type. */
const TIMES: ReadonlySet<string> = new Set([
  'timestamp',
  'executed',
  'issued',
  'last_seen',
  'last_ok',
  'created_at',
  'expires_at',
  'begin',
  'expire_at',
  'raft_term',
]);

const PLACEHOLDER = /<(?:uuid|token|key|uint64)>/;
const MADE = new Map<string, RegExp>([
  ['<uuid>', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ['<token>', /^\S{16,}$/],
  ['<key>', /^[\w-]{16,}$/],
  ['<uint64>', /^\d{1,20}$/],
]);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Compares a response with the recorded one.
 *
 * @returns the differences as text; empty if there are none
 */
export function answerProblems(expected: Answer, actual: Answer): string[] {
  if (expected.status !== actual.status) {
    return [`status: expected ${String(expected.status)}, got ${String(actual.status)} ${displayText(actual.body)}`];
  }
  const headers = headerProblems(expected, actual);
  // For errors, the status and the code are compared, but not the text.
  if (expected.status >= 400) return [...headers, ...refusalProblems(expected.body, actual.body)];
  return [...headers, ...valueProblems(expected.body, actual.body)];
}

/** Compares headers. Headers with generated values only need to be present. */
function headerProblems(expected: Answer, actual: Answer): string[] {
  return Object.entries(expected.headers).flatMap(([name, value]) => {
    const got = actual.headers[name.toLowerCase()];
    if (name === 'Content-Type' && (expected.body === null || expected.status >= 400)) return [];
    if (got === undefined) return [`${name}: expected ${value}, got nothing`];
    if (name === 'Content-Type') {
      return mediaType(got) === mediaType(value) ? [] : [`${name}: expected ${value}, got ${got}`];
    }
    if (name === 'ETag' || name === 'Sensu-Continue') return [];
    return valueProblems(value, got, name);
  });
}

function refusalProblems(expected: unknown, actual: unknown): string[] {
  if (!isObject(expected) || !('code' in expected)) return [];
  if (!isObject(actual) || actual['code'] !== expected['code']) {
    return [`code: expected ${displayText(expected)}, got ${displayText(actual)}`];
  }
  return typeof actual['message'] === 'string' && actual['message'] !== '' ? [] : ['no message'];
}

export function valueProblems(expected: unknown, actual: unknown, at = '$'): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) {
      return [`${at}: expected ${String(expected.length)} items, got ${String(actual.length)}`];
    }
    return expected.flatMap((item, index) => valueProblems(item, actual[index], `${at}[${String(index)}]`));
  }
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) => {
      const to = `${at}.${name}`;
      if (!(name in actual)) return [`${to}: expected ${displayText(expected[name])}, got nothing`];
      if (!(name in expected)) return [`${to}: expected nothing, got ${displayText(actual[name])}`];
      if (TIMES.has(name) && typeof expected[name] === typeof actual[name]) return [];
      return valueProblems(expected[name], actual[name], to);
    });
  }
  if (typeof expected === 'string' && PLACEHOLDER.test(expected)) return madeProblems(expected, actual, at);
  if (typeof expected === 'string' && typeof actual === 'string' && timeless(expected) === timeless(actual)) return [];
  return Object.is(expected, actual) ? [] : [`${at}: expected ${displayText(expected)}, got ${displayText(actual)}`];
}

function madeProblems(expected: string, actual: unknown, at: string): string[] {
  const text = typeof actual === 'number' ? String(actual) : actual;
  if (typeof text !== 'string') return [`${at}: expected ${expected}, got ${displayText(actual)}`];
  const whole = MADE.get(expected);
  if (whole !== undefined) return whole.test(text) ? [] : [`${at}: expected ${expected}, got ${displayText(actual)}`];
  const [before = '', after = ''] = expected.split(PLACEHOLDER);
  return text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length
    ? []
    : [`${at}: expected ${expected}, got ${displayText(actual)}`];
}

/** Returns the text with all times replaced by placeholders. */
function timeless(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<time>')
    .replaceAll(/\b\d+ seconds\b/g, '<seconds>')
    .replaceAll(/\b17953\d{5}\b/g, '<epoch>');
}

function mediaType(value: string): string {
  return value.split(';', 1)[0]?.trim() ?? '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function displayText(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 160);
}
