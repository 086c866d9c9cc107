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
  /** The request body as text, exactly as it was sent; null if there is none. */
  readonly body: string | null;
  readonly version: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** True if only the status is compared. */
  readonly isPlain: boolean;
  /** A request to this backend; its response is the expected one. */
  readonly sameAs?: RecordedRequest;
}

type LineKind =
  | { readonly kind: 'exchange'; readonly request: RecordedRequest; readonly answer: RecordedResponse }
  | { readonly kind: 'raw'; readonly bytes: string; readonly answer: RecordedResponse | undefined }
  | { readonly kind: 'publish'; readonly pipe: string; readonly payload: unknown }
  | { readonly kind: 'observe'; readonly what: string; readonly data: unknown };

/** An action of the recorder before a line that the recording itself does not contain. */
export type Step =
  { readonly kind: 'request'; readonly request: RecordedRequest } | { readonly kind: 'wait'; readonly ms: number };

export type Line = LineKind & {
  /** Number of the line in its file, from 1. */
  readonly number: number;
  readonly case: string;
  readonly before: readonly Step[];
  /** The latest time in the recording up to this line, in epoch seconds. */
  readonly clock: number;
  /** Name of the instance with another configuration on which this line was recorded; `undefined` for the usual one. */
  readonly instance: string | undefined;
  /** The reason why the recorded response depends on chance and is not compared; `undefined` for other lines. */
  readonly chance: string | undefined;
};

const DATA = join(import.meta.dirname, 'data');

/** Returns the definitions with which the scenarios were recorded. */
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
    // A change made by this line first appears in the next response, so the times in that response count too.
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

/**
 * Returns the steps of an unrecorded action, without pauses in which the recorder waited for Sensu Core to finish its
 * work. A response of `mon` means that the work is done.
 */
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

/** Returns the recorded response. If Sensu Core never responded, any response with status 200 is accepted. */
function answerOf(response: NonNullable<RecordedLine['response']>): RecordedResponse {
  const { status, headers = {}, body, no_response: isMissing = false } = response;
  return isMissing ? { status: 200, headers, body, isPlain: true } : { status, headers, body, isPlain: false };
}

/** Returns the body exactly as it was sent: `1.0` must not become `1`. */
function bodyText(body: unknown, line: string): string | null {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string') return body;
  const exact = JSON.parse(line, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? rawJson(context?.source ?? String(value)) : value,
  ) as RecordedLine;
  return JSON.stringify(exact.request?.body);
}

/** `JSON.rawJSON` exists in the supported Node.js versions, but TypeScript does not declare it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Returns the times in a recorded value that Sensu Core generated, which show its clock. */
function epochsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    ['timestamp', 'issued', 'executed'].includes(key) && typeof item === 'number' && item > 1.6e9 && item < 4e9
      ? [item]
      : epochsIn(item),
  );
}
