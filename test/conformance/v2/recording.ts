import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded request to Sensu Go, and its response. */
export interface Exchange {
  readonly kind: 'exchange';
  readonly method: string;
  readonly path: string;
  /** The request headers; null means that a header which is usually sent was not sent. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** The request body: a text is sent unchanged, other values as JSON; `undefined` means no body. */
  readonly body: unknown;
  readonly answer: {
    /** The status code; 0 means that the connection was closed without a response. */
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The response body as parsed JSON, or as text if it is not JSON; null if it was empty. */
    readonly body: unknown;
  };
}

/** A recorded observation of a handler, an agent or a stored event. */
export interface Observation {
  readonly kind: 'observation';
  /**
   * The kind of the observation: `filter`, `handler:NAME`, `frame`, `no-frame`, `close`, `upgrade`, `keepalive`, `ttl`,
   * `namespace-known`.
   */
  readonly what: string;
  readonly agent: string | undefined;
  /**
   * Time of the observation in seconds since the agent connected, or since the first event; `undefined` if not
   * recorded.
   */
  readonly atSeconds: number | undefined;
  readonly data: unknown;
  readonly record: Readonly<Record<string, unknown>>;
}

/** A recorded frame that an agent sent. */
export interface Frame {
  readonly kind: 'frame';
  readonly agent: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type Line = (Exchange | Observation | Frame) & {
  /** Number of the line in its case, from 1. */
  readonly number: number;
  /** Name of the case as `GROUP/CASE`. */
  readonly case: string;
  readonly waitMs: number;
};

export interface Group {
  readonly name: string;
  readonly lines: readonly Line[];
  /** Time of the recording in epoch seconds; `undefined` if no line contains a time. */
  readonly begun: number | undefined;
}

interface RecordedLine {
  readonly case: string;
  readonly wait_ms?: number;
  readonly request?: Pick<Exchange, 'method' | 'path' | 'body'> & { readonly headers?: Exchange['headers'] };
  readonly response?: Exchange['answer'];
  readonly observe?: string;
  readonly agent?: string;
  readonly at_s?: number;
  readonly data?: unknown;
  readonly send?: Pick<Frame, 'type' | 'payload'>;
}

/** Matches epoch seconds from the days of the recording, but not invented times in its requests. */
const EPOCH = /\b17953\d{5}\b/;

/** Returns all groups of the recording, in their order. */
export function readRecording(): Group[] {
  const text = readFileSync(join(import.meta.dirname, '..', 'data', 'core.jsonl'), 'utf8');
  const groups = new Map<string, { lines: Line[]; begun: number | undefined }>();
  const numbers = new Map<string, number>();
  for (const line of text.split('\n').filter(Boolean)) {
    const record = JSON.parse(line) as RecordedLine;
    const [name = ''] = record.case.split('/');
    const group = groups.get(name) ?? { lines: [], begun: undefined };
    groups.set(name, group);
    const number = (numbers.get(record.case) ?? 0) + 1;
    numbers.set(record.case, number);
    group.begun ??= Number(EPOCH.exec(line)?.[0]) || undefined;
    group.lines.push({ ...lineOf(record), number, case: record.case, waitMs: record.wait_ms ?? 0 });
  }
  return [...groups].map(([name, group]) => Object.assign(group, { name }));
}

function lineOf(record: RecordedLine): Exchange | Observation | Frame {
  const { request, response, observe, agent, send } = record;
  if (request !== undefined && response !== undefined) {
    const { method, path, headers = {}, body } = request;
    return { kind: 'exchange', method, path, headers, body, answer: response };
  }
  if (observe !== undefined) {
    const { at_s: atSeconds, data } = record;
    return { kind: 'observation', what: observe, agent, atSeconds, data, record: { ...record } };
  }
  if (agent === undefined || send === undefined) throw new Error(`what is ${JSON.stringify(record)}?`);
  return { kind: 'frame', agent, ...send };
}

/** Returns the events that a recorded handler received, sorted by entity as `sortedByEntity` does. */
export function handledEventsOf(data: unknown): readonly unknown[] {
  return sortedByEntity((data as unknown[]).flatMap((item) => (typeof item === 'string' ? jsonsOf(item) : [item])));
}

/**
 * Splits a line into its JSON documents, because simultaneous handlers may have written to the same line. A line that
 * is not JSON is returned as text.
 */
export function jsonsOf(text: string): unknown[] {
  try {
    return text.split(/(?<=\})(?=\{)/).map((one) => JSON.parse(one) as unknown);
  } catch {
    return [text];
  }
}

/**
 * Sorts events by entity, because events of different entities may arrive in any order. The order of the events of one
 * entity stays the same.
 */
export function sortedByEntity(events: readonly unknown[]): readonly unknown[] {
  return events.toSorted((a, b) => {
    const [one, other] = [entityOf(a), entityOf(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  });
}

function entityOf(event: unknown): string {
  return (
    (event as { readonly entity?: { readonly metadata?: { readonly name?: string } } }).entity?.metadata?.name ?? ''
  );
}
