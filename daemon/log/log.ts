import { pino } from 'pino';
import { boundField } from './bounded-field.ts';
import { redact } from '../../shared/domain/redact.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/schemas/settings.ts';

/** Structured log: one JSON line per record, never a body or a secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The log fields of an API response: short texts and numbers only, no secrets. */
export interface RequestFields {
  readonly method: string;
  /** The path pattern of the route, without the values of its parameters; null if no route matched. */
  readonly route: string | null;
  readonly status: number;
  readonly time_ms: number;
  readonly request_id: string;
  readonly remote_address: string;
  /** The backend to which this one forwarded the request. */
  readonly forwarded?: string;
}

export type LogRequest = (fields: RequestFields) => void;

/** The log of a program. The operator can change its level while it runs. */
export interface ProgramLog extends Log {
  level: LogLevel;
  readonly logRequest: LogRequest;
}

/** The destination of the log lines. */
export interface LogDestination {
  write(line: string): void;
  /** Called after every record except the records of requests, which can be written in batches. */
  flush?(): void;
}

interface LogOptions {
  /** The name of the program, in the field `component`. */
  readonly component: string;
  readonly level: LogLevel;
  /** The level of request records; default: info. */
  readonly requestLevel?: 'info' | 'debug';
  readonly destination: LogDestination;
}

/**
 * Characters that JSON does not escape but that terminals and line readers interpret: DEL, C1, direction marks,
 * separators.
 */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const ALL_CONTROL_CHARACTERS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Writes JSON lines in the format of Sensu Core: `timestamp`, `level`, `message` first, then the fields (completion
 * 1.16). An error goes into the field `err` and is written as type, message and stack.
 */
export function createLog({ component, level, requestLevel = 'info', destination }: LogOptions): ProgramLog {
  const lines = pino(
    {
      level,
      base: null,
      // By default pino writes the level first and the message last. Operators read `timestamp level message` first. So
      // its level is disabled, the time starts the line, and the other two are passed as the first fields.
      formatters: { level: () => ({}) },
      timestamp: () => `"timestamp":"${currentTimestamp()}"`,
      // `safeFields` has already converted errors to objects.
      serializers: { err: (convertedError: unknown) => convertedError },
    },
    { write: (line: string) => destination.write(escapeControlCharacters(line)) },
  );
  const write = (own: Exclude<LogLevel, 'fatal'>, fields: object, message: string): void => {
    if (!lines.isLevelEnabled(own)) return;
    const head = { level: own, message };
    // Level and message are assigned twice: at first for their position in the line, and at last so that no field
    // replaces them (legacy-peer, Surprises 5). But a field can replace `component`.
    lines[own](Object.assign({}, head, { component }, safeFields(fields), safeFields(head)));
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
      // The same format as for any record, in a third of the time: one line is written for each response.
      const line = `{"timestamp":"${currentTimestamp()}",${answerHead},${JSON.stringify(fields).slice(1)}\n`;
      destination.write(escapeControlCharacters(line));
    },
    get level() {
      return LOG_LEVELS.find((name) => name === lines.level) ?? level;
    },
    set level(next) {
      lines.level = next;
    },
  };
}

/** Returns the fields without secrets, and within the length limits. */
function safeFields(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]: [string, unknown]) => {
      const { [key]: shown } = value instanceof Error ? { [key]: value } : redact({ [key]: value });
      return [key, boundField(shown instanceof Error ? pino.stdSerializers.err(shown) : shown)];
    }),
  );
}

/**
 * Escapes the characters of `CONTROL_CHARACTERS`. They occur only in JSON strings, where an escape has the same
 * meaning.
 */
function escapeControlCharacters(line: string): string {
  if (!CONTROL_CHARACTERS.test(line)) return line;
  return line.replace(
    ALL_CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

let lastMs = Number.NaN;
let lastText = '';

/**
 * Returns the current time as text. It is formatted once for all records of a millisecond, because a busy API writes
 * many.
 */
function currentTimestamp(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastText = formatTimestamp(new Date(now));
    lastMs = now;
  }
  return lastText;
}

/** Returns local time as `2026-11-20T13:45:18.000000+0000`. */
function formatTimestamp(time: Date): string {
  const offsetMinutes = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + offsetMinutes * 60_000).toISOString().replace('Z', '000');
  const distance = Math.abs(offsetMinutes);
  const hoursMinutes = Math.floor(distance / 60) * 100 + (distance % 60);
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${String(hoursMinutes).padStart(4, '0')}`;
}
