import { pino, type DestinationStream } from 'pino';

/** Structured log: one JSON line per record, never a body or a secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface LogOptions {
  /** Which program speaks, as the field `component`. */
  readonly component: string;
  readonly level: LogLevel;
  /** Default: standard output, written at once, so that no line is lost when the process ends. */
  readonly destination?: DestinationStream;
}

/** Longest text of one field, in UTF-16 units (design S17): a log line must never carry a whole output or body. */
const FIELD_LENGTH_MAX = 4096;

/**
 * JSON lines as the legacy service writes them: `timestamp`, `level`, `message` first, then the fields (completion 1.16).
 * An error goes into the field `err` and comes out as type, message and stack.
 */
export function createLog({
  component,
  level,
  destination = pino.destination({ dest: 1, sync: true }),
}: LogOptions): Log {
  const lines = pino(
    {
      level,
      base: null,
      // Pino begins each line with its level and ends it with the message. People read `timestamp level message` first,
      // so its level is left out here, the time opens the line, and the other two travel as the first fields.
      formatters: { level: () => ({}) },
      timestamp: () => `"timestamp":"${formatTimestamp(new Date())}"`,
      serializers: { err: pino.stdSerializers.err },
    },
    destination,
  );
  const record = (own: LogLevel, fields: object, message: string): object => {
    const head = { level: own, message, component };
    // Once to be first, and once more because no field may take the place of the message (legacy-peer, surprise 5).
    return Object.assign({}, head, shorten(fields), shorten(head));
  };
  return {
    debug: (fields, message) => lines.debug(record('debug', fields, message)),
    info: (fields, message) => lines.info(record('info', fields, message)),
    warn: (fields, message) => lines.warn(record('warn', fields, message)),
    error: (fields, message) => lines.error(record('error', fields, message)),
  };
}

function shorten(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' && value.length > FIELD_LENGTH_MAX ? `${value.slice(0, FIELD_LENGTH_MAX)}...` : value,
    ]),
  );
}

/** Local time as `2026-11-20T13:45:18.000000+0000`. */
function formatTimestamp(time: Date): string {
  const offsetMinutes = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + offsetMinutes * 60_000).toISOString().replace('Z', '000');
  const distance = Math.abs(offsetMinutes);
  const hoursMinutes = Math.floor(distance / 60) * 100 + (distance % 60);
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${String(hoursMinutes).padStart(4, '0')}`;
}
