import * as fc from 'fast-check';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { ModelSearch } from '../support/model-search.ts';
import type { ModelHold, ModelRelease, ModelSilenceRequest } from '../support/model-silences.ts';
import type { ModelRecurrence } from '../support/model-windows.ts';
import type { ModelResult } from '../support/reference-model.ts';
import type { ModelConfig } from './model-settings.ts';

/** A step of a story: a request to the backend, the passing of time, or an action on the backend's process or clock. */
export type Step =
  | { readonly do: 'post'; readonly result: ModelResult }
  | { readonly do: 'post all'; readonly results: readonly ModelResult[] }
  | { readonly do: 'resolve'; readonly client: string; readonly check: string; readonly by: 'POST' | 'DELETE' }
  | { readonly do: 'delete result'; readonly client: string; readonly check: string }
  | {
      readonly do: 'rename';
      readonly from: string;
      readonly to: string;
      readonly isForced: boolean;
    }
  | { readonly do: 'put client'; readonly client: { readonly name: string; readonly subscriptions: readonly string[] } }
  | { readonly do: 'delete client'; readonly client: string }
  | { readonly do: 'silence'; readonly request: ModelSilenceRequest; readonly beginsInSeconds?: number | undefined }
  | {
      readonly do: 'clear';
      readonly target: Pick<ModelSilenceRequest, 'subscription' | 'check' | 'selector'>;
      readonly by: 'POST' | 'DELETE';
    }
  | { readonly do: 'hold'; readonly hold: ModelHold }
  | { readonly do: 'release'; readonly release: ModelRelease }
  | { readonly do: 'wait'; readonly ms: number }
  /** Changes the clock of the machine by `seconds`; the monotonic time is unaffected. */
  | { readonly do: 'set clock'; readonly seconds: number }
  /** Sets the clock of the machine to the right time. */
  | { readonly do: 'set right' }
  | { readonly do: 'restart'; readonly awayMs: number }
  /** Moves the state to a new, empty backend by a dump and a restore. */
  | { readonly do: 'move' }
  | { readonly do: 'dump' }
  /** Restores the last dump, although the backend has made changes since. */
  | { readonly do: 'restore' }
  | { readonly do: 'reload'; readonly config: Partial<ModelConfig> };

/** The check definitions of the backend and the model. */
export const DEFINITIONS: Readonly<Record<string, CheckDefinition>> = {
  defined: { command: 'check-it', subscribers: ['web'], interval: 60, auto_resolve: false, occurrences: 3 },
};

const START_S = ManualClock.START_MS / 1000;
/**
 * Flapping thresholds that random statuses reach easily. The lower one is the weight of one change at the oldest
 * position of the history.
 */
const FLAPPING = { low_flap_threshold: 4, high_flap_threshold: 30 };
const client = fc.constantFrom('a', 'b', 'web-1');
const check = fc.constantFrom('cpu', 'disk', 'defined');
/** Names of checks, including `spare`, which never has results. */
const checkName = fc.constantFrom('cpu', 'disk', 'defined', 'spare');
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
      handlers: fc.constantFrom(['each'], ['each', 'default'], ['default'], []),
      aggregates: fc.constantFrom(['fleet'], ['fleet'], ['other']),
      team: fc.constantFrom('a', 'b'),
      custom: fc.constant({ nested: ['attribute', 1, null] }),
    },
    { requiredKeys: ['name', 'output', 'status', 'source'] },
  )
  .chain((base) =>
    fc
      .constantFrom({}, {}, { low_flap_threshold: 5, high_flap_threshold: 20 })
      // Metric results notify with any status, which the model does not cover, so they have no handlers.
      .map((flap) => Object.assign({}, base, flap, base.type === 'metric' ? { handlers: [] } : {})),
  );

/**
 * Consecutive results of one check: up to 30 random statuses, which may cause flapping, then equal statuses, often
 * about as many as end the flapping.
 */
const burst: fc.Arbitrary<readonly ModelResult[]> = fc
  .tuple(
    client,
    check,
    fc.array(anyStatus, { minLength: 1, maxLength: 30 }),
    fc.constantFrom(0, 0, 3, 18, 19, 20, 21),
    fc.constantFrom({}, { auto_resolve: false }, { resolve_after: 3 }, { resolve_after: 25 }, { handlers: ['each'] }),
  )
  .map(([source, name, statuses, tail, more]) =>
    [...statuses, ...Array.from({ length: tail }, () => statuses.at(-1) ?? 0)].map((status) =>
      Object.assign({ name, source, status, output: `status ${String(status)}` }, FLAPPING, more),
    ),
  );

/** Returns a search that compares one field with a value. */
const compare = (field: string, operator: '=' | '!=' | '~', value: string): ModelSearch => ({
  kind: 'compare',
  field,
  operator,
  value,
});
const term = fc.constantFrom<ModelSearch>(
  compare('client', '~', 'web-*'),
  compare('client', '=', 'A'),
  compare('check', '!=', 'cpu'),
  compare('check', '~', 'def'),
  compare('subscriptions', '=', 'web'),
  compare('subscriptions', '~', 'client:?'),
  compare('namespace', '=', 'default'),
  compare('env', '=', 'prod'),
  compare('env', '!=', 'prod'),
  compare('client.tags', '=', 'blue'),
  compare('team', '=', 'a'),
  compare('check.team', '!=', 'a'),
  { kind: 'word', text: 'cpu' },
);
const search: fc.Arbitrary<ModelSearch> = fc.oneof(
  { weight: 4, arbitrary: term },
  { weight: 1, arbitrary: term.map((of): ModelSearch => ({ kind: 'not', of })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('all' as const, 'any' as const), fc.array(term, { minLength: 2, maxLength: 3 }))
      .map(([kind, of]): ModelSearch => ({ kind, of })),
  },
);

/** Recurrences that begin soon after the start of a story, midnight UTC on a Thursday. */
const recurrence = fc.constantFrom<ModelRecurrence>(
  { schedule: '*/30 * * * *', duration: 420 },
  { schedule: 'daily 00:20', duration: 700 },
  { schedule: 'daily 00:40,03:00', duration: 1200, last_day: '2026-01-01' },
  { schedule: 'thu 01:10', zone: 'Europe/Berlin', duration: 3599 },
  { schedule: 'weekdays 20:05', zone: 'America/New_York', duration: 900 },
);

/** The target of a silence: a subscription, a check, both of them or a search. */
const target = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ subscription, check }, { requiredKeys: [] })
      .map((parts) => (Object.keys(parts).length === 0 ? { check: 'cpu' } : parts)),
  },
  { weight: 2, arbitrary: fc.record({ selector: search }) },
);

/** Adds a reason to requests that use the mon API, which requires one. */
function withReason(request: ModelSilenceRequest): ModelSilenceRequest {
  const isOurs = request.selector !== undefined || request.recurrence !== undefined;
  return isOurs ? { ...request, reason: 'planned' } : request;
}

const silenceRequest: fc.Arbitrary<ModelSilenceRequest> = fc
  .tuple(
    target,
    fc.record(
      {
        expire: fc.constantFrom(-1, 0, 1, 60, 700, 3600),
        expire_on_resolve: fc.boolean(),
        reason: fc.constant('planned'),
        creator: fc.constant('ops'),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([of, terms]) => withReason({ ...of, ...terms }));

const recurringRequest: fc.Arbitrary<ModelSilenceRequest> = fc
  .record({ target, recurrence })
  .map((parts) => withReason({ ...parts.target, recurrence: parts.recurrence }));

/**
 * The target of a maintenance run. There are few targets, so that runs often meet their own silence or that of another
 * run.
 */
const heldTarget = fc.constantFrom<Pick<ModelHold, 'subscription' | 'check' | 'selector'>>(
  { subscription: 'client:a' },
  { check: 'cpu' },
  { selector: compare('env', '=', 'prod') },
);
const run = fc.constantFrom('run-of-one', 'run-of-two');

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
      check: checkName,
      by: fc.constantFrom('POST' as const, 'DELETE' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete result' as const), client, check: checkName }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('rename' as const),
      from: checkName,
      to: checkName,
      isForced: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('put client' as const),
      client: fc.record({
        name: client,
        address: fc.constant('192.0.2.1'),
        subscriptions: fc.uniqueArray(subscription, { maxLength: 3 }),
        env: fc.constantFrom('prod', 'prod', 'test', 7),
        tags: fc.constantFrom(['blue', 'new'], ['old']),
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
      do: fc.constant('silence' as const),
      request: recurringRequest,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clear' as const),
      target,
      by: fc.constantFrom('POST' as const, 'DELETE' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record(
        {
          target: heldTarget,
          run,
          seconds: fc.constantFrom(5, 60),
          renews: fc.boolean(),
          reason: fc.constant('deploy'),
        },
        { requiredKeys: ['target', 'run', 'seconds', 'reason'] },
      )
      .map(({ target: held, ...hold }): Step => ({ do: 'hold', hold: { ...held, ...hold } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(heldTarget, run)
      .map(([held, holder]): Step => ({ do: 'release', release: { ...held, run: holder } })),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 500, 1000, 10_000, 59_999, 400_000, 3_600_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('set clock' as const),
      seconds: fc.constantFrom(-259_200, -7200, -90, -2, 2, 45, 900, 86_400),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'set right' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('restart' as const),
      awayMs: fc.constantFrom(0, 0, 1, 10_000, 59_999, 400_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'move' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'dump' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'restore' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reload' as const),
      config: fc.record<Partial<ModelConfig>>(
        {
          inhibitions: fc.constantFrom('both', 'both', 'site', 'other', 'none'),
          rules: fc.constantFrom('both', 'both', 'stricter', 'none'),
          groups: fc.constantFrom('quick', 'quick', 'slow', 'none'),
        },
        { requiredKeys: [] },
      ),
    }),
  },
);
