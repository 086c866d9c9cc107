import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SCENARIOS = [
  'aggregates',
  'checks',
  'clients',
  'events',
  'keepalive_ttl',
  'misc',
  'request',
  'resolve',
  'results',
  'silenced',
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text as it was sent; null: no body. */
  readonly body: string | null;
  readonly version: string;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Only the status says anything. */
  readonly isPlain: boolean;
  /** The answer is the one that the backend gives to this request. */
  readonly sameAs?: RecordedRequest;
}

type LineKind =
  | { readonly kind: 'exchange'; readonly request: RecordedRequest; readonly answer: RecordedAnswer }
  | { readonly kind: 'raw'; readonly bytes: string; readonly answer: RecordedAnswer | undefined }
  | { readonly kind: 'publish'; readonly pipe: string; readonly payload: unknown }
  | { readonly kind: 'observe'; readonly what: string; readonly data: unknown };

/** What the recorder did before a line without writing it down. */
export type Step =
  { readonly kind: 'request'; readonly request: RecordedRequest } | { readonly kind: 'wait'; readonly ms: number };

export type Line = LineKind & {
  /** From 1. */
  readonly number: number;
  readonly case: string;
  readonly before: readonly Step[];
  /** Latest time that the recording knows up to here, epoch seconds. */
  readonly clock: number;
  /** Name of the instance with another configuration that this line was recorded on. */
  readonly instance: string | undefined;
  /** Why the recorded answer cannot be expected from anybody. */
  readonly chance: string | undefined;
};

const DATA = join(import.meta.dirname, 'data');

/** The definitions that the scenarios were recorded with. */
export function recordedSettings(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(DATA, 'settings.json'), 'utf8')) as Record<string, unknown>;
}

export function readScenario(name: ScenarioName): Line[] {
  const texts = readFileSync(join(DATA, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);
  const records = texts.map((text) => JSON.parse(text) as RecordedLine);
  const steps = sideFile(name, 'unrecorded');
  const needs = sideFile(name, 'needs');
  const chances = sideFile(name, 'nondeterministic');
  let clock = 0;
  return records.map((record, at) => {
    // The next answer as well: what this line makes is first seen there.
    clock = Math.max(clock, ...epochsIn(record), ...(record.request === undefined ? [] : epochsIn(records[at + 1])));
    const number = at + 1;
    const need = needs.get(number)?.needs;
    return Object.assign(lineKind(record, texts[at] ?? ''), {
      number,
      case: record.case,
      before: (steps.get(number)?.do ?? []).flatMap(stepOf),
      clock,
      instance: need?.startsWith('alt:') === true ? need.slice('alt:'.length) : undefined,
      chance: chances.get(number)?.why ?? (need === 'the store' ? needs.get(number)?.why : undefined),
    });
  });
}

interface RecordedLine {
  readonly case: string;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly proto?: string;
    readonly raw?: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly no_response?: boolean;
  };
  readonly publish?: { readonly pipe: string; readonly payload: unknown };
  readonly observe?: string;
  readonly data?: unknown;
}

interface SideLine {
  readonly file: string;
  readonly line?: number;
  readonly before?: number;
  readonly why?: string;
  readonly needs?: string;
  readonly do?: readonly SideStep[];
}

interface SideStep {
  readonly request?: readonly [method: string, path: string, body?: unknown];
  readonly sleep?: number;
}

function sideFile(scenario: string, file: string): Map<number, SideLine> {
  const lines = readFileSync(join(DATA, `${file}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);
  return new Map(
    lines
      .map((line) => JSON.parse(line) as SideLine)
      .filter((line) => line.file === scenario)
      .map((line) => [line.line ?? line.before ?? 0, line]),
  );
}

/** Pauses of the recorder for the peer to settle are left out: an answer here is an answer. */
function stepOf({ request, sleep }: SideStep): Step[] {
  if (sleep !== undefined) return [{ kind: 'wait', ms: sleep * 1000 }];
  if (request === undefined) return [];
  const [method, path, body] = request;
  return [{ kind: 'request', request: jsonRequest(method, path, body) }];
}

export function jsonRequest(method: string, path: string, body?: unknown): RecordedRequest {
  return { method, path, headers: {}, body: body === undefined ? null : JSON.stringify(body), version: 'HTTP/1.1' };
}

function lineKind(record: RecordedLine, text: string): LineKind {
  const { request, response, publish, observe } = record;
  if (publish !== undefined) return { kind: 'publish', ...publish };
  if (observe !== undefined) return { kind: 'observe', what: observe, data: record.data };
  if (request === undefined) throw new Error(`a line of the case "${record.case}" says nothing`);
  const answer = response === undefined ? undefined : answerOf(response);
  if (request.raw !== undefined) return { kind: 'raw', bytes: request.raw, answer };
  if (answer === undefined) throw new Error(`the request of the case "${record.case}" has no answer`);
  const { method, path, headers = {}, proto = 'HTTP/1.1' } = request;
  return {
    kind: 'exchange',
    request: { method, path, headers, body: bodyText(request.body, text), version: proto },
    answer,
  };
}

/** Where the peer never answered, any list will do. */
function answerOf(response: NonNullable<RecordedLine['response']>): RecordedAnswer {
  const { status, headers = {}, body, no_response: isMissing = false } = response;
  return isMissing ? { status: 200, headers, body, isPlain: true } : { status, headers, body, isPlain: false };
}

/** The body as it was sent: `1.0` must not become `1` on the way. */
function bodyText(body: unknown, line: string): string | null {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string') return body;
  const exact = JSON.parse(line, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? rawJson(context?.source ?? String(value)) : value,
  ) as RecordedLine;
  return JSON.stringify(exact.request?.body);
}

/** In every Node that runs this, and not yet among the types. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Times that the peer made: its clock, as far as the recording knows it. */
function epochsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    ['timestamp', 'issued', 'executed'].includes(key) && typeof item === 'number' && item > 1.6e9 && item < 4e9
      ? [item]
      : epochsIn(item),
  );
}
