import * as fc from 'fast-check';
import type { CheckDefinition } from '../../shared/schemas/check.ts';

/** A result that the agent sends. */
export interface SentResult {
  readonly check: string;
  /** Name of the proxy client; `undefined` for the agent itself. */
  readonly source: string | undefined;
  /** The new attributes of this check's results from now on; `undefined` keeps the current ones. */
  readonly attributes: keyof typeof ATTRIBUTES | undefined;
  readonly status: number;
  readonly output: string;
  /** The duration in seconds; `undefined` if the result has none. */
  readonly duration: number | undefined;
  /** The number of seconds since the check was executed; negative if `executed` lies in the future. */
  readonly age: number;
}

/** A change to the stored data that comes from another client, not from the agent. */
export type Change =
  | { readonly do: 'post'; readonly client: string; readonly check: string; readonly about: object }
  | { readonly do: 'resolve'; readonly client: string; readonly check: string }
  | { readonly do: 'delete result'; readonly client: string; readonly check: string }
  | { readonly do: 'delete client'; readonly client: string; readonly query: string }
  | { readonly do: 'delete aggregate'; readonly aggregate: string }
  | { readonly do: 'silence'; readonly check: string; readonly isOver: boolean };

export interface Config {
  readonly checks: keyof typeof CHECKS;
  readonly handlers: 'none' | 'problems' | 'all';
}

export type Step =
  | Change
  /** Sends the same results `times` times, one after the other. */
  | { readonly do: 'tell'; readonly results: readonly SentResult[]; readonly times: number }
  /** Sends results twice, makes a change by another client, and sends similar results again. */
  | { readonly do: 'tell around'; readonly results: readonly SentResult[]; readonly change: Change }
  /** Cuts the connection while results are being sent. */
  | { readonly do: 'tell and cut'; readonly results: readonly SentResult[] }
  /** Sends results whose write to disk fails. */
  | { readonly do: 'tell and refuse'; readonly results: readonly SentResult[] }
  /**
   * Commits everything in one batch: results similar to the results sent just before, between changes by other clients.
   */
  | {
      readonly do: 'at once';
      readonly before: readonly Change[];
      readonly results: readonly SentResult[];
      readonly after: readonly Change[];
    }
  /** Sends new results that arrive under one configuration and are committed under another one. */
  | { readonly do: 'tell and reload'; readonly results: readonly SentResult[]; readonly config: Config }
  /** Makes a change by another client whose write to disk fails. */
  | { readonly do: 'change and refuse'; readonly change: Change }
  | { readonly do: 'keep alive' }
  | { readonly do: 'cut' }
  | { readonly do: 'reload'; readonly config: Config }
  | { readonly do: 'wait'; readonly seconds: number }
  /** Restarts the backends after their clock was set forward or back by `setSeconds`. */
  | { readonly do: 'restart'; readonly setSeconds: number };

export const AGENT = 'web-1';
/** Seconds during which a deleted client cannot register again. */
export const INVALID_SECONDS = 3;

export const ATTRIBUTES = {
  none: {},
  each: { handlers: ['each'] },
  all: { handlers: ['all'] },
  ttl: { ttl: 3 },
  'ttl status': { ttl: 5, ttl_status: 1, handlers: ['each'] },
  interval: { interval: 30 },
  aggregate: { aggregate: 'web' },
  aggregates: { aggregates: ['web', 'db'] },
  own: { team: 'a', own: { output: 'x', executed: 5, issued: 1, status: 2, ttl: 1, check: 'y' } },
  'odd names': JSON.parse('{"7":1,"__proto__":{"a":1},"toJSON":1,"\\u0001":"\\u0002","constructor":null}') as object,
  metric: { type: 'metric', handlers: ['each'] },
  'metric by format': { output_metric_format: 'graphite_plaintext', output_metric_handlers: ['each'] },
  truncated: { truncate_output: true, truncate_output_length: 3 },
  sized: { max_output_size: 3 },
  flapping: { low_flap_threshold: 4, high_flap_threshold: 30 },
  lasting: { auto_resolve: false },
  recovering: { resolve_after: 2 },
  newer: { event_metadata: { labels: { a: 'b' } } },
  standalone: { standalone: true },
  told: { history: ['1', '2'], origin: 'elsewhere', output_size: 1 },
} as const satisfies Readonly<Record<string, object>>;

const DEFINED = { command: 'check-it', subscribers: ['web'], interval: 60, publish: false };

export const CHECKS = {
  none: {},
  handled: { cpu: { ...DEFINED, handlers: ['each'], team: 'defined' }, disk: { ...DEFINED, handlers: ['all'] } },
  lasting: { cpu: { ...DEFINED, ttl: 4 }, disk: { ...DEFINED, auto_resolve: false } },
  counted: { cpu: { ...DEFINED, aggregate: 'db' }, disk: { ...DEFINED, type: 'metric' } },
  timed: { cpu: { ...DEFINED, duration: 7, executed: 5, issued: 4, output: 'defined' } },
} as const satisfies Readonly<Record<string, Readonly<Record<string, CheckDefinition & object>>>>;

const namesOf = <T extends object>(object: T): (keyof T)[] => Object.keys(object) as (keyof T)[];

const check = fc.constantFrom('cpu', 'cpu', 'disk');
const source = fc.constantFrom(undefined, undefined, 'nas');
const client = fc.constantFrom(AGENT, AGENT, 'nas');
const status = fc.oneof(
  { weight: 20, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constantFrom(1, 2) },
  { weight: 1, arbitrary: fc.constantFrom(3, 127) },
);
const output = fc.oneof(
  { weight: 6, arbitrary: fc.constant('fine') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      'with "quotes", \\ and\r\n\tlines\n\n',
      'half \ud83c and \udf88 half',
      '\u0000\u0001\u0002 \u2028 ä€🎈',
      '\u0001',
      '","executed":5,"status":2,"check":{"a":"',
      'x'.repeat(10_240),
      '🎈'.repeat(300),
    ),
  },
);
const duration = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0.25, 0.25, 12, 1e-7) },
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(-0, 1e300, -3) },
);
const attributes = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...namesOf(ATTRIBUTES)) },
  { weight: 1, arbitrary: fc.constantFrom('ttl' as const, 'aggregate' as const, 'aggregates' as const) },
);
const age = fc.constantFrom(0, 0, 0, 1, 9, -5);

const telling: fc.Arbitrary<SentResult> = fc.record({ check, source, attributes, status, output, duration, age });
const tellings = fc.array(telling, { minLength: 1, maxLength: 5 });

const post: fc.Arbitrary<Change> = fc.record({
  do: fc.constant('post' as const),
  client,
  check,
  about: fc.constantFrom({ status: 0 }, { status: 0, ttl: 3 }, { status: 2 }, { status: 1, auto_resolve: false }),
});

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: post },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resolve' as const), client, check }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete result' as const), client, check }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('delete client' as const),
      client,
      query: fc.constantFrom('', '', `?invalidate=true&invalidate_expire=${String(INVALID_SECONDS)}`),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('delete aggregate' as const), aggregate: fc.constantFrom('web', 'db') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('silence' as const), check, isOver: fc.boolean() }) },
);

const config: fc.Arbitrary<Config> = fc.record({
  checks: fc.constantFrom(...namesOf(CHECKS)),
  handlers: fc.constantFrom('none', 'problems', 'all', 'all'),
});

const reload = fc.record({ do: fc.constant('reload' as const), config });

const sendingStep = (what: 'tell and cut' | 'tell and refuse'): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant(what), results: tellings });
const changes = fc.array(change, { maxLength: 2 });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('tell' as const),
      results: tellings,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: sendingStep('tell and cut') },
  { weight: 1, arbitrary: sendingStep('tell and refuse') },
  { weight: 6, arbitrary: change },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('tell around' as const), results: tellings, change }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('at once' as const), before: changes, results: tellings, after: changes }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tell and reload' as const), results: tellings, config }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('keep alive' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 2, arbitrary: reload },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change and refuse' as const), change: post }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 7 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('restart' as const),
      setSeconds: fc.constantFrom(0, 0, 7200, -7200),
    }),
  },
);

/**
 * Returns a generator of random stories, each a list of steps that starts with a configuration.
 *
 * @param steps minimum and maximum number of steps after the initial configuration
 */
export function storyOf(steps: { readonly min: number; readonly max: number }): fc.Arbitrary<readonly Step[]> {
  const rest = fc.array(step, { minLength: steps.min, maxLength: steps.max, size: 'max' });
  return fc.tuple(reload, rest).map(([first, others]) => [first as Step].concat(others));
}
