import type { RecordedLog } from '../support/recorded-log.ts';
import type { Line, ScenarioName } from './scenario.ts';

/** What the peer says of an event that it does not give to a handler (completion 1.8). */
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

/** Where the recorder kept what the log says of handling; elsewhere it looked for something else. */
const RECORDED: ScenarioName = 'events';

/** What a backend says in its log of the events that handlers do not get. */
export class SaidVerdicts {
  readonly #file: ScenarioName;
  readonly #log: RecordedLog;
  /** Records that were compared. */
  #compared = 0;

  constructor(file: ScenarioName, log: RecordedLog) {
    this.#file = file;
    this.#log = log;
  }

  /** @returns what is wrong with what was said since the last such line; undefined: it is about no such log */
  compare(line: Extract<Line, { readonly kind: 'observe' }>): string[] | undefined {
    if (line.what !== 'log:server' || this.#file !== RECORDED) return undefined;
    const records = this.#log.records.slice(this.#compared);
    this.#compared = this.#log.records.length;
    const [got, wanted] = [records, line.data as readonly Said[]].map(verdictsAmong);
    return got === wanted ? [] : [`expected ${String(wanted)}, got ${String(got)}`];
  }
}

interface Said {
  readonly level: string;
  readonly message: string;
}

function verdictsAmong(records: readonly Said[]): string {
  return records
    .filter(({ message }) => VERDICTS.has(message))
    .map(({ level, message }) => `${level} ${message}`)
    .join(', ');
}
