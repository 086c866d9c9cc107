import type { Decision, Recorded } from '../decision.ts';
import type { Line, RecordedAnswer, RecordedRequest } from '../scenario.ts';

/** A request that restores the state of the recording, and the status of its success. */
export interface Restoring {
  readonly request: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
}

/**
 * A decision about the v1 API. Its correct response is the recorded line with another response. If several decisions
 * apply to one line, each corrects the result of the previous ones.
 */
export interface LineDecision extends Decision<Line, Line> {
  /** Requests to send after the line if the correct response changes state differently from the recorded one. */
  readonly restore?: (recorded: Recorded<Line>) => readonly Restoring[];
}

export type ExchangeLine = Extract<Line, { readonly kind: 'exchange' }>;
export type ObservedLine = Extract<Line, { readonly kind: 'observe' }>;

/** A recorded request with its response and the lines before it. */
export interface Asked extends RecordedRequest {
  /** The path without its query, decoded and split. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The body as JSON; undefined if there is none. */
  readonly json: unknown;
  readonly answer: RecordedAnswer;
  readonly line: ExchangeLine;
  readonly earlier: readonly Line[];
}

export type Answers = (asked: Asked) => RecordedAnswer;

/** Creates a decision about requests. */
export function onRequest(isAbout: (asked: Asked) => boolean, because: string, rightFor: Answers): LineDecision {
  return {
    isAbout: ({ line, earlier }) => line.kind === 'exchange' && isAbout(askedOf(line, earlier)),
    because,
    rightFor: ({ line, earlier }) =>
      line.kind === 'exchange' ? { ...line, answer: rightFor(askedOf(line, earlier)) } : line,
  };
}

/** Creates a decision about connections, for raw bytes. Only the status of their responses is compared. */
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

/** A recorded observation with the lines before it. */
export interface Observed {
  readonly line: ObservedLine;
  readonly earlier: readonly Line[];
}

const DELIVERIES = /^handler:(.*)$/;

/** Returns the name of the handler whose deliveries a line observes. */
export function handlerOf(line: Line): string | undefined {
  return line.kind === 'observe' ? DELIVERIES.exec(line.what)?.[1] : undefined;
}

/** Creates a decision about the events that a handler received. The events are passed and returned in their order. */
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
export function either(...[first, ...others]: readonly [LineDecision, ...LineDecision[]]): LineDecision {
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
    ({ answer }) => mendedBody(answer.body, '', mend) !== answer.body,
    because,
    ({ answer }) => ({ ...answer, body: mendedBody(answer.body, '', mend) }),
  );
}

/** Returns the value with all parts corrected; the same value if no part changes. */
export function mendedBody(value: unknown, key: string, mend: (value: unknown, key: string) => unknown): unknown {
  const mended = mend(value, key);
  if (typeof mended !== 'object' || mended === null) return mended;
  const entries = Object.entries(mended).map(([name, item]) => {
    const part = mendedBody(item, Array.isArray(mended) ? key : name, mend);
    return { name, part, isSame: part === item };
  });
  if (entries.every(({ isSame }) => isSame)) return mended;
  if (Array.isArray(mended)) return entries.map(({ part }) => part);
  return Object.fromEntries(entries.map(({ name, part }) => [name, part]));
}

/**
 * Returns a response of which only the status is compared: it is sent before there is a request, or its text is our
 * own.
 */
export function plain(status: number): RecordedAnswer {
  return { status, headers: {}, body: undefined, isPlain: true };
}

/** Returns the response to a request with another status. Errors have a reason as their body. */
export function withStatus({ answer }: Asked, status: number, body?: unknown): RecordedAnswer {
  const common = Object.entries(answer.headers).filter(([name]) => name.startsWith('Access-Control-'));
  return { status, headers: Object.fromEntries(common), body, isPlain: false };
}

/**
 * Returns a page of a list that is shorter by some items. The order of the backend decides which items are on the page,
 * so only their number is adjusted here.
 */
export function shorterPage(answer: RecordedAnswer, missing: number): RecordedAnswer {
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

export function pageOf({ headers }: RecordedAnswer): Page | undefined {
  const text = headers['X-Pagination'];
  return text === undefined ? undefined : (JSON.parse(text) as Page);
}

function askedOf(line: ExchangeLine, earlier: readonly Line[]): Asked {
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

/** Returns all requests before a line, including those that the recorder did not write down. */
export function requestsOf(earlier: readonly Line[]): readonly Asked[] {
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
