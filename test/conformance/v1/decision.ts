import type { Decision, Recorded } from '../decision.ts';
import type { Line, RecordedResponse, RecordedRequest } from '../scenario.ts';

/** A request that restores the state of the recording, and the status of a successful response. */
export interface RestoreContext {
  readonly request: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
}

/**
 * A decision about the v1 API. It replaces the response of a recorded line with the correct one. If several decisions
 * apply to a line, each corrects the result of the previous ones.
 */
export interface LineDecision extends Decision<Line, Line> {
  /**
   * Returns the requests to send after the line, if the correct response changes the state in another way than the
   * recorded one.
   */
  readonly restore?: (recorded: Recorded<Line>) => readonly RestoreContext[];
}

export type ExchangeLine = Extract<Line, { readonly kind: 'exchange' }>;
export type ObservedLine = Extract<Line, { readonly kind: 'observe' }>;

/** A recorded request with its response, and the lines before it. */
export interface RecordedExchange extends RecordedRequest {
  /** The segments of the path without its query, percent-decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The body parsed as JSON; `undefined` if there is no body, or if it is not JSON. */
  readonly json: unknown;
  readonly answer: RecordedResponse;
  readonly line: ExchangeLine;
  readonly earlier: readonly Line[];
}

export type Answers = (asked: RecordedExchange) => RecordedResponse;

/** Creates a decision about a recorded request and its response. */
export function onRequest(
  isAbout: (asked: RecordedExchange) => boolean,
  because: string,
  rightFor: Answers,
): LineDecision {
  return {
    isAbout: ({ line, earlier }) => line.kind === 'exchange' && isAbout(askedOf(line, earlier)),
    because,
    rightFor: ({ line, earlier }) =>
      line.kind === 'exchange' ? { ...line, answer: rightFor(askedOf(line, earlier)) } : line,
  };
}

/** Creates a decision about raw bytes that were sent on a connection. Only the status of the response is compared. */
export function onBytes(
  isAbout: (bytes: string) => boolean,
  because: string,
  rightFor: (bytes: string) => number,
): LineDecision {
  return {
    isAbout: ({ line }) => line.kind === 'raw' && line.answer !== undefined && isAbout(line.bytes),
    because,
    rightFor: ({ line }) => (line.kind === 'raw' ? { ...line, answer: plain(rightFor(line.bytes)) } : line),
  };
}

/** A recorded observation, such as the deliveries of a handler, and the lines before it. */
export interface Observed {
  readonly line: ObservedLine;
  readonly earlier: readonly Line[];
}

const DELIVERIES = /^handler:(.*)$/;

/** Returns the name of the handler whose deliveries the line observes; `undefined` for any other line. */
export function handlerOf(line: Line): string | undefined {
  return line.kind === 'observe' ? DELIVERIES.exec(line.what)?.[1] : undefined;
}

/**
 * Creates a decision about the events that a handler received. `rightFor` gets the events in the order of their
 * delivery, and returns the correct ones in that order.
 */
export function onDeliveries(
  because: string,
  rightFor: (events: readonly unknown[], recorded: Observed) => readonly unknown[],
): LineDecision {
  const rightLine = ({ line, earlier }: Recorded<Line>): Line => {
    if (line.kind !== 'observe' || handlerOf(line) === undefined) return line;
    const events = line.data as readonly unknown[];
    const right = rightFor(events, { line, earlier });
    return right.length === events.length && right.every((event, index) => event === events[index])
      ? line
      : { ...line, data: right };
  };
  return { isAbout: (recorded) => rightLine(recorded) !== recorded.line, because, rightFor: rightLine };
}

/** Combines several decisions with the same reason into one, for example about requests and about deliveries. */
export function combinedDecision(...[first, ...others]: readonly [LineDecision, ...LineDecision[]]): LineDecision {
  const all = [first, ...others];
  return {
    isAbout: (recorded) => all.some(({ isAbout }) => isAbout(recorded)),
    because: first.because,
    rightFor: (recorded) => all.find(({ isAbout }) => isAbout(recorded))?.rightFor(recorded) ?? recorded.line,
  };
}

/** Creates a decision about every response that contains a certain value. `mend` returns other values unchanged. */
export function onEveryBody(because: string, mend: (value: unknown, key: string) => unknown): LineDecision {
  return onRequest(
    ({ answer }) => correctedBody(answer.body, '', mend) !== answer.body,
    because,
    ({ answer }) => ({ ...answer, body: correctedBody(answer.body, '', mend) }),
  );
}

/** Returns a copy of the value with all of its parts corrected by `mend`, or the same value if no part changes. */
export function correctedBody(value: unknown, key: string, mend: (value: unknown, key: string) => unknown): unknown {
  const mended = mend(value, key);
  if (typeof mended !== 'object' || mended === null) return mended;
  const entries = Object.entries(mended).map(([name, item]) => {
    const part = correctedBody(item, Array.isArray(mended) ? key : name, mend);
    return { name, part, isSame: part === item };
  });
  if (entries.every(({ isSame }) => isSame)) return mended;
  if (Array.isArray(mended)) return entries.map(({ part }) => part);
  return Object.fromEntries(entries.map(({ name, part }) => [name, part]));
}

/**
 * Returns a response of which only the status is compared: either it is sent before a request has been parsed, or `mon`
 * words its text differently.
 */
export function plain(status: number): RecordedResponse {
  return { status, headers: {}, body: undefined, isPlain: true };
}

/** Returns the recorded response with another status. The body of an error is the reason. */
export function withStatus({ answer }: RecordedExchange, status: number, body?: unknown): RecordedResponse {
  const common = Object.entries(answer.headers).filter(([name]) => name.startsWith('Access-Control-'));
  return { status, headers: Object.fromEntries(common), body, isPlain: false };
}

/**
 * Returns a page of a list that has `missing` fewer items in total. The backend's own order decides which items the
 * page contains, so only their number is adjusted.
 */
export function shorterPage(answer: RecordedResponse, missing: number): RecordedResponse {
  const page = pageOf(answer);
  if (page === undefined) return answer;
  const total = page.total - missing;
  const length = Math.max(0, Math.min(page.limit, total - page.offset));
  const body = Array.isArray(answer.body) ? answer.body.slice(0, length) : answer.body;
  return { ...answer, headers: { ...answer.headers, 'X-Pagination': JSON.stringify({ ...page, total }) }, body };
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
}

export function pageOf({ headers }: RecordedResponse): Page | undefined {
  const text = headers['X-Pagination'];
  return text === undefined ? undefined : (JSON.parse(text) as Page);
}

function askedOf(line: ExchangeLine, earlier: readonly Line[]): RecordedExchange {
  const [path = '', query = ''] = line.request.path.split(/\?(.*)/s, 2);
  return {
    ...line.request,
    segments: path.split('/').slice(1).map(decoded),
    query: new URLSearchParams(query),
    json: jsonOf(line.request.body),
    answer: line.answer,
    line,
    earlier,
  };
}

/** Returns all requests among the earlier lines, including those that the recorder sent but did not record. */
export function requestsOf(earlier: readonly Line[]): readonly RecordedExchange[] {
  return earlier.flatMap((line, index) => (line.kind === 'exchange' ? [askedOf(line, earlier.slice(0, index))] : []));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function jsonOf(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
