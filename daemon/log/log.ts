import { pino } from 'pino';
import { bounded } from './bounded-field.ts';
import { redact } from '../../shared/domain/redact.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/schemas/settings.ts';

/** Structured log: one JSON line per record, never a body or a secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One answer of the API; short texts and numbers only, nothing secret. */
export interface RequestFields {
  readonly method: string;
  /** The path with its parameters unfilled; null where there is nothing. */
  readonly route: string | null;
  readonly status: number;
  readonly time_ms: number;
  readonly request_id: string;
  readonly remote_address: string;
  /** Of the backend that answered in place of this one. */
  readonly forwarded?: string;
}

export type LogRequest = (fields: RequestFields) => void;

/** The log of a program, whose operator changes the level while it runs. */
export interface ProgramLog extends Log {
  level: LogLevel;
  readonly logRequest: LogRequest;
}

/** Where the lines go. */
export interface LogDestination {
  write(line: string): void;
  /** Called after every record but those of requests, which may wait for others. */
  flush?(): void;
}

interface LogOptions {
  /** Which program speaks, as the field `component`. */
  readonly component: string;
  readonly level: LogLevel;
  /** Of the records of requests; default: info. */
  readonly requestLevel?: 'info' | 'debug';
  readonly destination: LogDestination;
}

/** What JSON leaves as it is, and terminals and readers of lines do not: DEL, C1, marks of direction, separators. */
const ACTIVE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const ALL_ACTIVE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * JSON lines as the legacy service writes them: `timestamp`, `level`, `message` first, then the fields (completion
 * 1.16). An error goes into the field `err` and comes out as type, message and stack.
 */
export function createLog({ component, level, requestLevel = 'info', destination }: LogOptions): ProgramLog {
  const lines = pino(
    {
      level,
      base: null,
      // Pino begins each line with its level and ends it with the message. People read `timestamp level message` first,
      // so its level is left out here, the time opens the line, and the other two travel as the first fields.
      formatters: { level: () => ({}) },
      timestamp: () => `"timestamp":"${timestamp()}"`,
      // Errors are told by then.
      serializers: { err: (told: unknown) => told },
    },
    { write: (line: string) => destination.write(escaped(line)) },
  );
  const write = (own: Exclude<LogLevel, 'fatal'>, fields: object, message: string): void => {
    if (!lines.isLevelEnabled(own)) return;
    const head = { level: own, message };
    // Once to be first, and once more because no field may take the place of the message (legacy-peer, Surprises 5). A
    // part of the program that has a name of its own may give it as the component.
    lines[own](Object.assign({}, head, { component }, safe(fields), safe(head)));
    destination.flush?.();
  };
  const answerHead = JSON.stringify({ level: requestLevel, message: 'api response', component }).slice(1, -1);
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    logRequest: (fields) => {
      if (!lines.isLevelEnabled(requestLevel)) return;
      // The same line as of any record, in a third of the time: one is written for each answer.
      const line = `{"timestamp":"${timestamp()}",${answerHead},${JSON.stringify(fields).slice(1)}\n`;
      destination.write(escaped(line));
    },
    get level() {
      return LOG_LEVELS.find((name) => name === lines.level) ?? level;
    },
    set level(next) {
      lines.level = next;
    },
  };
}

/** Without secrets and more than helps. */
function safe(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]: [string, unknown]) => {
      const { [key]: shown } = value instanceof Error ? { [key]: value } : redact({ [key]: value });
      return [key, bounded(shown instanceof Error ? pino.stdSerializers.err(shown) : shown)];
    }),
  );
}

/** Such characters stand in texts only, where an escape means the same. */
function escaped(line: string): string {
  if (!ACTIVE.test(line)) return line;
  return line.replace(ALL_ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

let lastMs = Number.NaN;
let lastText = '';

/** Formatted once for all records of a millisecond: a busy API writes many. */
function timestamp(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastText = formatTimestamp(new Date(now));
    lastMs = now;
  }
  return lastText;
}

/** Local time as `2026-11-20T13:45:18.000000+0000`. */
function formatTimestamp(time: Date): string {
  const offsetMinutes = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + offsetMinutes * 60_000).toISOString().replace('Z', '000');
  const distance = Math.abs(offsetMinutes);
  const hoursMinutes = Math.floor(distance / 60) * 100 + (distance % 60);
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${String(hoursMinutes).padStart(4, '0')}`;
}
