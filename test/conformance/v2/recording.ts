import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A request that was sent to Sensu Go, and its response. */
export interface Exchange {
  readonly kind: 'exchange';
  readonly method: string;
  readonly path: string;
  /** The headers. Null: a usual header that is not sent. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** The body. Text is sent unchanged; undefined: no body. */
  readonly body: unknown;
  readonly answer: {
    /** The status; 0: the connection was closed without a response. */
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The body: parsed JSON, otherwise the text; null if it was empty. */
    readonly body: unknown;
  };
}

/** An observation of a handler, an agent or a reader of a stored event. */
export interface Observation {
  readonly kind: 'observation';
  /**
   * The kind: `filter`, `handler:NAME`, `frame`, `no-frame`, `close`, `upgrade`, `keepalive`, `ttl`, `namespace-known`.
   */
  readonly what: string;
  readonly agent: string | undefined;
  /** Seconds since the agent connected, or since the first event. */
  readonly atSeconds: number | undefined;
  readonly data: unknown;
  readonly record: Readonly<Record<string, unknown>>;
}

/** A frame that an agent sent. */
export interface Frame {
  readonly kind: 'frame';
  readonly agent: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type Line = (Exchange | Observation | Frame) & {
  /** The number of the line in its case, from 1. */
  readonly number: number;
  /** The name of the case as `GROUP/CASE`. */
  readonly case: string;
  readonly waitMs: number;
};

export interface Group {
  readonly name: string;
  readonly lines: readonly Line[];
  /** The time of the recording in epoch seconds; undefined if no line shows it. */
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

/** Matches epoch seconds from the days of the recording, not times that were invented for it. */
const EPOCH = /\b17953\d{5}\b/;

/** Returns all groups in the order of the recording. */
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

/** Returns the events that a recorded handler got, in the order of `byEntity`. */
export function handledEventsOf(data: unknown): readonly unknown[] {
  return byEntity((data as unknown[]).flatMap((item) => (typeof item === 'string' ? jsonsOf(item) : [item])));
}

/** Splits a line into JSON documents: simultaneous handlers may have written on the same line. */
export function jsonsOf(text: string): unknown[] {
  try {
    return text.split(/(?<=\})(?=\{)/).map((one) => JSON.parse(one) as unknown);
  } catch {
    return [text];
  }
}

/**
 * Sorts events by entity, because entities may alternate in any order; keeps the order of the events of each entity.
 */
export function byEntity(events: readonly unknown[]): readonly unknown[] {
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
