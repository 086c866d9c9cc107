import type { RecordedLog } from '../support/recorded-log.ts';
import type { Line, ScenarioName } from './scenario.ts';

/** Log messages of Sensu Core that say why a handler does not get an event (completion 1.8). */
const VERDICTS: ReadonlySet<string> = new Set([
  'event handling disabled for event',
  'handler does not handle action',
  'handler does not handle event severity',
  'handler is silenced',
  'event was filtered',
  'unknown handler',
  'unknown filter',
  'handler sets cannot be deeply nested',
]);

/**
 * The only scenario in which the recorder saved the log messages about handling; in other scenarios it saved different
 * log messages.
 */
const RECORDED: ScenarioName = 'events';

/** Compares the log records of a backend about events that handlers do not get with the recorded ones. */
export class LoggedVerdicts {
  readonly #file: ScenarioName;
  readonly #log: RecordedLog;
  /** Number of log records that have already been compared. */
  #compared = 0;

  constructor(file: ScenarioName, log: RecordedLog) {
    this.#file = file;
    this.#log = log;
  }

  /**
   * Compares the log records since the previous observation of the log.
   *
   * @returns the differences as text; `undefined` if the line does not observe this log
   */
  compare(line: Extract<Line, { readonly kind: 'observe' }>): string[] | undefined {
    if (line.what !== 'log:server' || this.#file !== RECORDED) return undefined;
    const records = this.#log.records.slice(this.#compared);
    this.#compared = this.#log.records.length;
    const [got, wanted] = [records, line.data as readonly LoggedMessage[]].map(verdictsAmong);
    return got === wanted ? [] : [`expected ${String(wanted)}, got ${String(got)}`];
  }
}

interface LoggedMessage {
  readonly level: string;
  readonly message: string;
}

function verdictsAmong(records: readonly LoggedMessage[]): string {
  return records
    .filter(({ message }) => VERDICTS.has(message))
    .map(({ level, message }) => `${level} ${message}`)
    .join(', ');
}
