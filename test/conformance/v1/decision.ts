import type { Decision, Recorded } from '../decision.ts';
import type { Line, RecordedAnswer, RecordedRequest } from '../scenario.ts';

/** A request that brings back the state of the recording, and the status of its success. */
export interface Restoring {
  readonly request: readonly [method: string, path: string, body?: unknown];
  readonly status: number;
}

/**
 * A decision about version 1. Its right answer is the recorded line with another answer. If several decisions are about
 * one line, each corrects what the earlier ones left.
 */
export interface LineDecision extends Decision<Line, Line> {
  /** Requests after the line, where the right answer has changed another state than the recorded one. */
  readonly restore?: (recorded: Recorded<Line>) => readonly Restoring[];
}

export type ExchangeLine = Extract<Line, { readonly kind: 'exchange' }>;
export type ObservedLine = Extract<Line, { readonly kind: 'observe' }>;

/** A recorded request with its answer and its past. */
export interface Asked extends RecordedRequest {
  /** The path without its query, decoded and split. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** The body as JSON; undefined where there is none. */
  readonly json: unknown;
  readonly answer: RecordedAnswer;
  readonly line: ExchangeLine;
  readonly earlier: readonly Line[];
}

export type Answers = (asked: Asked) => RecordedAnswer;

/** A decision about requests. */
export function onRequest(isAbout: (asked: Asked) => boolean, because: string, rightFor: Answers): LineDecision {
  return {
    isAbout: ({ line, earlier }) => line.kind === 'exchange' && isAbout(askedOf(line, earlier)),
    because,
    rightFor: ({ line, earlier }) =>
      line.kind === 'exchange' ? { ...line, answer: rightFor(askedOf(line, earlier)) } : line,
  };
}

/** A decision about connections: bytes that were sent as they are. Only the status of their answers is compared. */
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

/** A recorded observation with its past. */
export interface Observed {
  readonly line: ObservedLine;
  readonly earlier: readonly Line[];
}

const DELIVERIES = /^handler:(.*)$/;

/** Name of the handler whose deliveries a line observes. */
export function handlerOf(line: Line): string | undefined {
  return line.kind === 'observe' ? DELIVERIES.exec(line.what)?.[1] : undefined;
}

/** A decision about the events that a handler received, which are given and returned in their order. */
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

/** One decision for requests and for deliveries: what it is about is in both. */
export function either(...[first, ...others]: readonly [LineDecision, ...LineDecision[]]): LineDecision {
  const all = [first, ...others];
  return {
    isAbout: (recorded) => all.some(({ isAbout }) => isAbout(recorded)),
    because: first.because,
    rightFor: (recorded) => all.find(({ isAbout }) => isAbout(recorded))?.rightFor(recorded) ?? recorded.line,
  };
}

/** A decision about every answer in which something stands: `mend` returns the value itself where it does not. */
export function onEveryBody(because: string, mend: (value: unknown, key: string) => unknown): LineDecision {
  return onRequest(
    ({ answer }) => mendedBody(answer.body, '', mend) !== answer.body,
    because,
    ({ answer }) => ({ ...answer, body: mendedBody(answer.body, '', mend) }),
  );
}

/** The value with all parts mended; the value itself if no part of it is. */
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

/** An answer of which only the status is compared: it is sent before there is a request, or its text is our own. */
export function plain(status: number): RecordedAnswer {
  return { status, headers: {}, body: undefined, isPlain: true };
}

/** The answer to a request with another status; refusals have a reason as their body. */
export function withStatus({ answer }: Asked, status: number, body?: unknown): RecordedAnswer {
  const common = Object.entries(answer.headers).filter(([name]) => name.startsWith('Access-Control-'));
  return { status, headers: Object.fromEntries(common), body, isPlain: false };
}

/**
 * A page of a list that is shorter by some items. Which items of the right list are on the page is the order of the
 * backend itself; here it is only the right number of them.
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

/** All requests before a line, those that the recorder did not write down included. */
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
