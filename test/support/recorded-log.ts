import type { Log } from '../../daemon/log/log.ts';

interface LogRecord {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that stores its records, so that a test can check them. */
export class RecordedLog implements Log {
  readonly records: LogRecord[] = [];

  debug(fields: object, message: string): void {
    this.records.push({ level: 'debug', message, fields: { ...fields } });
  }

  info(fields: object, message: string): void {
    this.records.push({ level: 'info', message, fields: { ...fields } });
  }

  warn(fields: object, message: string): void {
    this.records.push({ level: 'warn', message, fields: { ...fields } });
  }

  error(fields: object, message: string): void {
    this.records.push({ level: 'error', message, fields: { ...fields } });
  }

  /** Returns the messages of all records with this level, in order. */
  messages(level: keyof Log): string[] {
    return this.records.filter((record) => record.level === level).map(({ message }) => message);
  }
}
