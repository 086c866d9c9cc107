import * as fc from 'fast-check';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { ModelResult, ModelSilenceRequest } from '../support/reference-model.ts';

/** Something that somebody does to the backend over HTTP, or that happens to it. */
export type Step =
  | { readonly do: 'post'; readonly result: ModelResult }
  | { readonly do: 'post all'; readonly results: readonly ModelResult[] }
  | { readonly do: 'resolve'; readonly client: string; readonly check: string; readonly by: 'POST' | 'DELETE' }
  | { readonly do: 'delete result'; readonly client: string; readonly check: string }
  | { readonly do: 'put client'; readonly client: { readonly name: string; readonly subscriptions: readonly string[] } }
  | { readonly do: 'delete client'; readonly client: string }
  | { readonly do: 'silence'; readonly request: ModelSilenceRequest; readonly beginsInSeconds?: number | undefined }
  | { readonly do: 'clear'; readonly id: string; readonly by: 'POST' | 'DELETE' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'restart' };

/** What the backend is configured with. */
export const DEFINITIONS: Readonly<Record<string, CheckDefinition>> = {
  defined: { command: 'check-it', subscribers: ['web'], interval: 60, auto_resolve: false, occurrences: 3 },
};

const START_S = ManualClock.START_MS / 1000;
/** Reached easily by statuses of chance; the lower one is what a single change weighs when it is the oldest. */
const FLAPPING = { low_flap_threshold: 4, high_flap_threshold: 30 };
const client = fc.constantFrom('a', 'b', 'web-1');
const check = fc.constantFrom('cpu', 'disk', 'defined');
const subscription = fc.constantFrom('web', 'db', 'client:a', 'client:web-1');
const anyStatus = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 0, 1, 2, 2) },
  { weight: 1, arbitrary: fc.constantFrom(3, 127, -1) },
);
const output = fc.constantFrom('fine', 'first line\nsecond', 'ends\n\n', '', '🎈'.repeat(300), 'x'.repeat(256));

const result: fc.Arbitrary<ModelResult> = fc
  .record(
    {
      name: check,
      output,
      status: anyStatus,
      source: client,
      executed: fc.integer({ min: -500, max: 500 }).map((seconds) => START_S + seconds),
      type: fc.constantFrom('metric', 'standard'),
      auto_resolve: fc.constantFrom(false, true),
      force_resolve: fc.constantFrom(true, false),
      resolve_after: fc.constantFrom<number | string>(1, 2, 3, '5m', '30s', 'soon'),
      standalone: fc.constant(true),
      truncate_output: fc.boolean(),
      truncate_output_length: fc.constantFrom(1, 5, 255),
      handle: fc.constant(false),
      custom: fc.constant({ nested: ['attribute', 1, null] }),
    },
    { requiredKeys: ['name', 'output', 'status', 'source'] },
  )
  .chain((base) =>
    fc
      .constantFrom({}, {}, { low_flap_threshold: 5, high_flap_threshold: 20 })
      .map((flap) => Object.assign({}, base, flap)),
  );

/**
 * Enough results of one check in a row to fill its history, so that it comes to flap, and then as many equal ones as it
 * takes to end that, or one less or more.
 */
const burst: fc.Arbitrary<readonly ModelResult[]> = fc
  .tuple(
    client,
    check,
    fc.array(anyStatus, { minLength: 1, maxLength: 30 }),
    fc.constantFrom(0, 0, 3, 18, 19, 20, 21),
    fc.constantFrom({}, { auto_resolve: false }, { resolve_after: 3 }, { resolve_after: 25 }),
  )
  .map(([source, name, statuses, tail, more]) =>
    [...statuses, ...Array.from({ length: tail }, () => statuses.at(-1) ?? 0)].map((status) =>
      Object.assign({ name, source, status, output: `status ${String(status)}` }, FLAPPING, more),
    ),
  );

const silenceRequest: fc.Arbitrary<ModelSilenceRequest> = fc
  .record(
    {
      subscription,
      check,
      expire: fc.constantFrom(-1, 0, 1, 60, 3600),
      expire_on_resolve: fc.boolean(),
      reason: fc.constant('planned'),
      creator: fc.constant('ops'),
    },
    { requiredKeys: [] },
  )
  .map((request) =>
    request.subscription === undefined && request.check === undefined
      ? Object.assign({ check: 'cpu' }, request)
      : request,
  );

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: result.map((posted): Step => ({ do: 'post', result: posted })) },
  { weight: 2, arbitrary: burst.map((results): Step => ({ do: 'post all', results })) },
  {
    weight: 2,
    arbitrary: fc.array(result, { minLength: 1, maxLength: 6 }).map((results): Step => ({ do: 'post all', results })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      client,
      check,
      by: fc.constantFrom('POST' as const, 'DELETE' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete result' as const), client, check }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('put client' as const),
      client: fc.record({
        name: client,
        address: fc.constant('192.0.2.1'),
        subscriptions: fc.uniqueArray(subscription, { maxLength: 3 }),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete client' as const), client }) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        do: fc.constant('silence' as const),
        request: silenceRequest,
        beginsInSeconds: fc.constantFrom(-100, 0, 10, 90),
      },
      { requiredKeys: ['do', 'request'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clear' as const),
      id: fc
        .tuple(fc.oneof(subscription, fc.constant('*')), fc.oneof(check, fc.constant('*')))
        .map((id) => id.join(':')),
      by: fc.constantFrom('POST' as const, 'DELETE' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 500, 1000, 10_000, 59_999, 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);
