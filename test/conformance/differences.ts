import type { ScenarioName } from './scenario.ts';

/**
 * Where the right answer is not the recorded one, and why: a decision or a DEFECT row of the completion page. Each is
 * held to its right answer, and to being different from the recorded one.
 */
export interface Difference {
  readonly file: ScenarioName;
  readonly line: number;
  readonly case: string;
  readonly because: string;
  readonly right: RightAnswer;
}

type RightAnswer =
  /** `body` only where it says more than that there is a reason. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The status of a refusal in plain text. */
  | { readonly plain: number }
  /** As recorded at another line of the same file. */
  | { readonly asLine: number }
  /** As recorded, with another body, and another `total` in X-Pagination. */
  | { readonly but: (body: unknown) => unknown; readonly total?: number };

const DECODED = '1.1 DEFECT, percent-encoding in a path: each segment is decoded once, then validated';
const EXACT_ID = '1.2 DEFECT, GET /silenced/ids/:id: exact ids, no suffix pattern';
const HTTP = 'HTTP itself: what is no request for a parser that follows RFC 9112 is a 400';
const VALIDATED = 'decision, values the peer lets in through an agent but refuses at POST /results are refused';
const ALIVE = '1.7 DEFECT, lazy member pruning: a member goes with its result, an aggregate with its last member';
const UNMATCHED = 'completion, Decisions: the text for tokens without a match';
const TO_THE_SECOND = 'ttl is watched to the second, not at a sweep every 30 seconds';
const STALE = 'Last check execution was 10 seconds ago';
const KEEPALIVE_UNMATCHED =
  'No keepalive sent from client for 230 seconds (>=180) - Unmatched check token(s): missing.attr';
const UNDEFINED = 'reference 2.2: a subscription check without subscribers, no_subs_check, cannot be defined';
const NAMED = 'reference 2.2: a source has word characters, dots and hyphens; the peer makes a client of a token';
const DOTS = 'security S10: nothing is called . or ..';
const INEXACT = 'security S8: whole numbers beyond 2^53 are refused in results';
/** Of the list, where the peer cuts the name of a client at its first colon. */
const REFUSED_CLIENTS = new Set(['', 'x-', ':::name:::', 'x-:::name|def:::', '.']);
/** Of the result that INEXACT refuses. */
const REFUSED_CHECK = 'extra';
const withoutRefused = (body: unknown): unknown =>
  (body as readonly { readonly client: string; readonly check: { readonly name: string } }[]).filter(
    ({ client, check }) => !REFUSED_CLIENTS.has(client) && check.name !== REFUSED_CHECK,
  );
const same = (body: unknown): unknown => body;
const NOBODY = { status: 404 };
/** What a check with a ttl of 10 seconds shows that many after its event was resolved on request. */
const STALE_AFTER_RESOLVE = {
  name: 'ttl5',
  output: STALE,
  status: 1,
  ttl: 10,
  executed: 0,
  issued: 0,
  handler: 'file',
  type: 'standard',
  interval: 30,
};
/** Answered before there is a request, so in plain text and without the headers of every other answer. */
const MALFORMED = { plain: 400 };
const REFUSED = { status: 400 };

export const DIFFERENCES: readonly Difference[] = [
  ...differences('checks', UNDEFINED, {
    '1 list': {
      but: (body) => (body as readonly { readonly name: string }[]).filter(({ name }) => name !== 'no_subs_check'),
    },
    '2 list limit': { but: (body) => body, total: 6 },
  }),
  ...differences('checks', DECODED, { '11 bad name': REFUSED }),
  ...differences('checks', "decision, DELETE /checks/:c also resolves the check's events", { '17 delete': NOBODY }),
  ...differences('aggregates', '1.7 DEFECT, aggregate names with `:` or `|` can be fetched', {
    '26 colon name': { asLine: 24 },
    '27 colon name encoded': { asLine: 24 },
  }),
  ...differences('aggregates', '1.7 DEFECT, a status above 3 is under /results/unknown, as it is in the summary', {
    '37 severity unknown': {
      but: (body) => {
        const [web] = body as readonly { readonly check: string; readonly summary: readonly unknown[] }[];
        return [{ ...web, summary: [{ output: 'odd', total: 1, clients: ['c7'] }, ...(web?.summary ?? [])] }];
      },
    },
  }),
  ...differences('aggregates', ALIVE, {
    '60 after a member result was deleted': { asLine: 61 },
    '68 all members gone': NOBODY,
    '70 all members gone': {
      // Its one member was the last of both.
      but: (body) => (body as readonly { readonly name: string }[]).filter(({ name }) => !/^g[12]$/.test(name)),
    },
  }),
  ...differences('clients', 'the peer answers 500 to any keepalive object: a valid one is accepted', {
    '7 keepalive hash': { status: 201, body: { name: 'kah' } },
    '8 empty keepalive hash': { status: 201, body: { name: 'kah' } },
  }),
  ...differences('clients', DECODED, {
    '110 odd path': REFUSED,
    '111 odd path': { asLine: 14 },
    '115 odd path': REFUSED,
  }),
  ...differences('clients', 'HTTP itself: the parser refuses methods that it does not know', {
    '124 method not allowed': MALFORMED,
    '125 method not allowed': MALFORMED,
  }),
  ...differences('clients', 'the peer deletes within seconds, this backend before it answers', {
    '130 delete with event (immediately after)': NOBODY,
    '131 delete with event (immediately after)': { status: 200, body: [] },
    '153 delete invalidate (2.5 s later)': NOBODY,
  }),
  ...differences('events', DECODED, { '324 path': REFUSED }),
  ...differences('keepalive_ttl', UNMATCHED, {
    '31 keepalive state ka-token': { but: withOutput(KEEPALIVE_UNMATCHED) },
    '32 keepalive state ka-token': { but: withOutput(KEEPALIVE_UNMATCHED) },
    '35 keepalive': { but: unmatchedInEvents },
    '57 keepalive recovers': { but: unmatchedInEvents },
  }),
  ...differences('keepalive_ttl', TO_THE_SECOND, {
    '38 ttl state ttl1': { but: withOutput(STALE) },
    '39 ttl state ttl1': { but: withOutput(STALE) },
    '40 ttl state ttl2': { but: withOutput(STALE) },
    '41 ttl state ttl2': { but: withOutput(STALE) },
    '46 ttl state ttl3': { but: withOutput(STALE) },
    '47 ttl state ttl6': { but: withOutput(STALE) },
    '59 ttl3 after keepalive recovered': { but: withOutput(STALE) },
    '36 keepalive': { but: staleInEvents },
  }),
  ...differences('keepalive_ttl', '1.20 DEFECT, resolve result switching off TTL: it stays watched', {
    '44 ttl state ttl5': {
      status: 200,
      body: {
        id: '00000000-0000-4000-8000-000000000000',
        client: {
          name: 'ka-fresh',
          address: '10.0.0.9',
          subscriptions: ['base', 'client:ka-fresh'],
          version: '1.9.0',
          timestamp: 0,
        },
        check: { ...STALE_AFTER_RESOLVE, history: ['2', '0', '1'], total_state_change: 0 },
        occurrences: 1,
        occurrences_watermark: 1,
        last_ok: 0,
        action: 'create',
        timestamp: 0,
        last_state_change: 0,
        silenced: false,
        silenced_by: [],
      },
    },
    '45 ttl state ttl5': {
      status: 200,
      body: { client: 'ka-fresh', check: { ...STALE_AFTER_RESOLVE, history: [2, 0, 1] } },
    },
  }),
  ...differences('misc', 'decision, /health: consumers >= 1 while serving', {
    '8 health ?consumers=1': { status: 204 },
    '9 health ?consumers=2&messages=1': {
      status: 412,
      body: ['keepalive consumers (1) less than min_consumers (2)', 'result consumers (1) less than min_consumers (2)'],
    },
  }),
  ...differences('misc', '1.6 DEFECT, settings secrets: always redacted', {
    '16 settings redacted=false': { asLine: 15 },
  }),
  ...differences('misc', DECODED, {
    '38 unknown route': { status: 200, body: [] },
    '39 unknown route POST': REFUSED,
  }),
  ...differences('misc', 'HTTP itself: a request line without a version is HTTP/0.9 to the parser', {
    '55 raw: two-word request line': { status: 200 },
  }),
  ...differences('misc', HTTP, {
    '57 raw: no host header': MALFORMED,
    '58 raw: LF only': MALFORMED,
    '62 raw: lower-case header names': MALFORMED,
    '65 raw: header without colon': MALFORMED,
    '66 raw: absolute uri': MALFORMED,
    '67 raw: GET with body': MALFORMED,
  }),
  ...differences('misc', 'decision, Basic credentials: the scheme in any letter case, a malformed value is 401', {
    '75 auth: lower-case scheme': { status: 200, body: [] },
    '76 auth: empty credentials': { status: 401 },
  }),
  ...differences('misc', '1.1, authentication: split at the first colon only', {
    '78 auth: extra colon': { status: 401 },
    '86 auth: password containing a colon can never match': { status: 200, body: [] },
  }),
  ...differences('misc', '1.1 DEFECT, CORS: false disables the headers', {
    '95 cors false': { status: 200, headers: {} },
  }),
  ...differences('results', NAMED, {
    '140 accepted: source token': REFUSED,
    '141 accepted: source token default': REFUSED,
    '150 after accepted': {
      but: (body) => (body as readonly { readonly name: string }[]).filter(({ name }) => !REFUSED_CLIENTS.has(name)),
    },
    '164 all results': { but: withoutRefused },
    '165 all results ?limit=3&offset=1': { but: same, total: 28 },
    '167 all results offset past end': { but: same, total: 28 },
    '169 HEAD': { but: same, total: 28 },
  }),
  ...differences('results', DOTS, { '149 accepted: source dot': REFUSED }),
  ...differences('results', INEXACT, { '18 extra attributes': REFUSED, '19 extra attributes': NOBODY }),
  ...differences('results', DECODED, { '189 path': REFUSED }),
  ...differences('results', VALIDATED, {
    '204 invalid name via transport': { but: () => [] },
    '208 missing status via transport': { but: () => [] },
    '213 string status via transport': { but: () => [] },
    '203 invalid name via transport': {
      but: (body) => (body as readonly { check: { name: string } }[]).filter(({ check }) => check.name === 'ak'),
    },
    '211 string status via transport': NOBODY,
    '212 string status via transport': NOBODY,
  }),
  ...differences(
    'results',
    '1.6, POST /results: a missing status is 0 and a missing issued is now, whichever way the result came',
    {
      '206 missing status via transport': {
        but: (body) => {
          const { check, ...result } = body as { readonly check: object };
          return { ...result, check: { ...check, status: 0, issued: 1 } };
        },
      },
      '207 missing status via transport': NOBODY,
    },
  ),
  ...differences('silenced', DECODED, {
    '11 create sub': { asLine: 10 },
    '100 encoded bad id': REFUSED,
  }),
  ...differences('silenced', EXACT_ID, {
    '14 create check': NOBODY,
    '15 create check': NOBODY,
    '16 create check': NOBODY,
    '94 by id b:*': NOBODY,
    '97 by id :cpu': NOBODY,
    '98 by id cpu': NOBODY,
  }),
  ...differences('silenced', 'decision, GET /silenced/subscriptions/:s: exact', {
    '82 by subscription client': { status: 200, body: [] },
  }),
  ...differences('silenced', '1.20 DEFECT, suffix lookups: /silenced/checks is exact', {
    '90 by check d.sk': { status: 200, body: [] },
  }),
  ...differences('silenced', '1.2 extension: DELETE /silenced/ids/:id', { '128 method not allowed': NOBODY }),
  ...differences('silenced', 'X-Pagination.total never counts entries that have expired', {
    '139 short expire then limit': { asLine: 140 },
  }),
];

function differences(
  file: ScenarioName,
  because: string,
  lines: Readonly<Record<string, RightAnswer>>,
): readonly Difference[] {
  return Object.entries(lines).map(([title, right]) => {
    const space = title.indexOf(' ');
    return { file, line: Number(title.slice(0, space)), case: title.slice(space + 1), because, right };
  });
}

/** Of the check of a result or an event. */
function withOutput(output: string): (body: unknown) => unknown {
  return (body) => {
    const whole = body as { readonly check: object };
    return { ...whole, check: { ...whole.check, output } };
  };
}

/** The same of the events that a handler got. */
function unmatchedInEvents(events: unknown): unknown {
  return (events as readonly { readonly check: { readonly output: string } }[]).map((event) =>
    withOutput(event.check.output.replace('Unmatched client token(s)', 'Unmatched check token(s)'))(event),
  );
}

/** Each result is stale at its second, and `ttl5` as well, whose event was resolved on request before. */
function staleInEvents(events: unknown): unknown {
  const recorded = events as readonly { readonly check: { readonly name: string } }[];
  const stale = recorded.filter(({ check }) => check.name !== 'keepalive').map(withOutput(STALE));
  const afterResolve = { ...STALE_AFTER_RESOLVE, history: ['2', '0', '1'], total_state_change: 0 };
  return [
    ...stale,
    { ...(stale[0] as object), check: afterResolve },
    ...recorded.filter(({ check }) => check.name === 'keepalive'),
  ];
}

/** What a file records wrongly in many places; its answers are corrected before they are compared. */
export interface Correction {
  readonly file: ScenarioName;
  readonly because: string;
  readonly texts: Readonly<Record<string, string>>;
  /** Attributes that are never null. */
  readonly nulls?: Readonly<Record<string, unknown>>;
}

export const CORRECTIONS: readonly Correction[] = [
  {
    file: 'checks',
    because: 'decision, redaction on every output',
    texts: { hunter2: 'REDACTED' },
  },
  {
    file: 'results',
    because: 'decision, redaction on every output',
    texts: { hunter2: 'REDACTED' },
  },
  {
    file: 'silenced',
    because: '1.2 DEFECT, explicit nulls: null counts as absent',
    texts: { ':onlycheck': '*:onlycheck', 'onlysub:': 'onlysub:*' },
    nulls: { expire_on_resolve: false },
  },
];

/**
 * Requests that bring back the state of the recording where a right answer has changed another one; each succeeds, which
 * shows the right state.
 */
export const UNDO: readonly {
  readonly file: ScenarioName;
  readonly after: number;
  readonly because: string;
  readonly request: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
}[] = [
  {
    file: 'clients',
    after: 7,
    because: 'a valid keepalive object was accepted',
    request: ['DELETE', '/clients/kah'],
    status: 202,
  },
  {
    file: 'clients',
    after: 8,
    because: 'a valid keepalive object was accepted',
    request: ['DELETE', '/clients/kah'],
    status: 202,
  },
  {
    file: 'silenced',
    after: 59,
    because: '1.2 DEFECT, expire -1 on POST: the entry stays for ever, at the peer it vanishes at once',
    request: ['POST', '/silenced/clear', { id: 'en:*' }],
    status: 204,
  },
];
