import { shownIso } from '../words/shown-time.ts';
import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import { openFeed, type FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { parseSearch } from '../../shared/domain/search.ts';
import { escapeUnseen, safeLine } from '../../shared/domain/terminal-text.ts';
import { eventClass } from '../model/event-record.ts';
import { EventChanges, type EventChange } from './event-changes.ts';
import { sortEvents } from './events.ts';
import { changeSentence } from './sentences.ts';
import { EXIT_CODES, type ExitCode } from '../words/exit-codes.ts';

/** Interval at which changes are printed. The feed may send changes more often, up to 20 times a second. */
const PRINT_INTERVAL_MS = 100;

export interface WatchOptions {
  readonly backend: string;
  /** Environment variables with the credentials that the URL does not contain. Default: those of the process. */
  readonly env?: CredentialsEnv;
  /** Namespace of the events. Default: `default`. */
  readonly namespace?: string | undefined;
  /** A search that selects the events; an empty text selects all. */
  readonly filter: string;
  /** True to print the current events and exit; false to continue with their changes. */
  readonly once: boolean;
  readonly json: boolean;
}

export interface WatchTools {
  readonly clock: FeedClock & { every(periodMs: number, task: () => void): Disposable };
  /**
   * Writes a text to the output.
   *
   * @returns `false` if the reader does not keep up and the text is buffered
   */
  readonly write: (text: string) => boolean;
  /** Returns true if the output can accept more text, because little is buffered. */
  readonly isDrained: () => boolean;
  readonly warn: (text: string) => void;
  readonly random?: () => number;
}

/**
 * Prints the events that match the filter with the worst first, then their changes, one per line, for pipes and
 * scripts. A slow reader gets only the latest state of each event, so the memory stays bounded.
 *
 * @returns the exit code; with `once` 0 if no event matches and 8 if some do
 */
export async function watchEvents(options: WatchOptions, tools: WatchTools): Promise<ExitCode> {
  const { backend, env, namespace, filter, once, json } = options;
  const { clock, random = Math.random } = tools;
  const search = parseSearch(filter);
  if (search.kind === 'problem') {
    tools.warn(safeLine(`--filter, at character ${String(search.position + 1)}: ${search.message}`));
    return EXIT_CODES.usage;
  }
  const changes = new EventChanges();
  const { promise, resolve } = Promise.withResolvers<ExitCode>();
  const lineOf = json ? jsonLine : textLine;
  let state: FeedState['kind'] = 'connecting';
  let isBegun = false;

  const begin = (): void => {
    isBegun = true;
    changes.take();
    const rows = sortEvents(changes.events.values());
    const nowMs = clock.now();
    tools.write(rows.map((row) => lineOf({ kind: eventClass(row), row }, nowMs, true)).join(''));
    if (once) resolve(rows.length === 0 ? EXIT_CODES.success : EXIT_CODES.unhealthy);
  };
  const printChanges = (): void => {
    if (state !== 'live' || !isBegun || changes.pending === 0 || !tools.isDrained()) return;
    const nowMs = clock.now();
    const text = changes.take().map((change) => lineOf(change, nowMs, false));
    if (text.length > 0) tools.write(text.join(''));
  };
  const feed = openFeed(
    {
      backend,
      topics: ['events'],
      clock,
      random,
      ...(filter !== '' && { filter }),
      ...(env && { env }),
      ...(namespace !== undefined && { namespace }),
    },
    {
      onState: (next) => {
        state = next.kind;
        if (next.kind === 'live' && !isBegun) begin();
        if (next.kind === 'waiting') {
          tools.warn(safeLine(next.reason));
          if (once) resolve(EXIT_CODES.unavailable);
        }
        if (next.kind === 'refused') {
          tools.warn(safeLine(next.message));
          resolve(REFUSAL_EXIT_CODES[next.code] ?? EXIT_CODES.failure);
        }
      },
      onRows: (rows, details) => changes.apply(rows, details),
      onStats: () => undefined,
    },
  );
  const timer = clock.every(PRINT_INTERVAL_MS, printChanges);
  try {
    return await promise;
  } finally {
    timer[Symbol.dispose]();
    feed.close();
  }
}

const REFUSAL_EXIT_CODES: Readonly<Record<string, ExitCode>> = {
  unauthenticated: EXIT_CODES.refused,
  forbidden: EXIT_CODES.refused,
  invalid: EXIT_CODES.usage,
};

function textLine(change: EventChange, nowMs: number): string {
  return `${shownIso(nowMs)} ${changeSentence(change, nowMs)}\n`;
}

/**
 * Returns a change as one line of JSON. Control characters in its texts are escaped, so they need no other change to be
 * safe on a terminal.
 */
function jsonLine({ kind, row }: EventChange, nowMs: number, isInitial: boolean): string {
  return `${escapeUnseen(JSON.stringify({ time: new Date(nowMs).toISOString(), change: kind, initial: isInitial, event: row }))}\n`;
}
