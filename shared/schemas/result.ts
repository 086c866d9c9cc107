import { z } from 'zod';
import { aggregateSchema, aggregatesSchema } from './aggregate.ts';
import { NAME_LENGTH_MAX, nameSchema, objectNameSchema, v2NameSchema } from './name.ts';
import { responseSchema, numberOrZero, textOrEmpty } from './response.ts';

/**
 * A status: any integer. Statuses have the meaning of exit codes, but every reported status is stored (completion 1.4).
 */
const statusSchema = z.int();

/** Maximum number of handlers in one result. */
const HANDLERS_MAX = 1000;

const handlerNameSchema = z.string().min(1, 'must not be empty').max(NAME_LENGTH_MAX);

/** The description of an attribute that has the meaning of the attribute of a check with the same name. */
const AS_CHECK = 'As in the definition of a check, whose value it overrides.';

/**
 * A submitted check result: `POST /results`, an item of a batch, or a result of an agent. Unknown attributes are kept
 * and appear in the event (reference 2.2). Where null is allowed, it counts as absent. Odd values that Sensu Core
 * accepts, such as `handle: "no"`, are accepted too (completion 1.6).
 */
export const resultSchema = z
  .looseObject({
    name: objectNameSchema.describe('Name of the check.'),
    output: z.string().describe('Output of the check: text for operators, or metrics.'),
    status: statusSchema.nullish().meta({
      description: 'Status: 0 is OK, 1 is warning, 2 is critical. Every other number is unknown.',
      default: 0,
    }),
    executed: z.int().min(0, 'must be in seconds since 1970').nullish().meta({
      description: 'Time at which the check ran. A time in the future becomes the current time. Default: now.',
      'x-unit': 'epoch seconds',
    }),
    source: v2NameSchema.nullish().describe('Name of the client to which the result belongs. Default: the sender.'),
    handler: z.string().max(NAME_LENGTH_MAX).nullish().describe(AS_CHECK),
    handlers: z.array(handlerNameSchema).max(HANDLERS_MAX).nullish().describe(AS_CHECK),
    ttl: z
      .union([z.int().positive(), z.literal(false)])
      .nullish()
      .meta({ description: `${AS_CHECK} False means none.`, 'x-unit': 'seconds' }),
    low_flap_threshold: z.int().nullish().meta({ description: AS_CHECK, 'x-unit': 'percent' }),
    high_flap_threshold: z.int().nullish().meta({ description: AS_CHECK, 'x-unit': 'percent' }),
    truncate_output: z.boolean().nullish().describe(AS_CHECK),
    truncate_output_length: z.int().positive().nullish().meta({ description: AS_CHECK, 'x-unit': 'characters' }),
    aggregate: aggregateSchema.nullish().describe(AS_CHECK),
    aggregates: aggregatesSchema.nullish().describe(AS_CHECK),
  })
  .superRefine((result, context) => {
    const problem = resultProblem(result);
    if (problem !== undefined)
      context.addIssue({ code: 'custom', message: problem.message, path: [problem.attribute] });
  });

/** A submitted result of the v1 API, or of an agent's local sockets, where names cannot contain colons. */
export const v1ResultSchema = resultSchema.safeExtend({ name: nameSchema, source: nameSchema.nullish() });

export type SubmittedResult = z.infer<typeof resultSchema>;

/**
 * Validates rules that combine two attributes. They are a separate function, because a compiled validator cannot
 * express them.
 *
 * @returns the invalid attribute and the error message; undefined if the result is valid
 */
export function resultProblem(
  result: Readonly<Record<string, unknown>>,
): { attribute: string; message: string } | undefined {
  const hasLow = result['low_flap_threshold'] !== undefined && result['low_flap_threshold'] !== null;
  const hasHigh = result['high_flap_threshold'] !== undefined && result['high_flap_threshold'] !== null;
  if (hasLow !== hasHigh) {
    return hasLow
      ? { attribute: 'high_flap_threshold', message: 'is required with low_flap_threshold' }
      : { attribute: 'low_flap_threshold', message: 'is required with high_flap_threshold' };
  }
  const ttlStatus = result['ttl_status'];
  if (
    typeof result['ttl'] === 'number' &&
    ttlStatus !== undefined &&
    ttlStatus !== null &&
    !Number.isInteger(ttlStatus)
  ) {
    return { attribute: 'ttl_status', message: 'must be an integer' };
  }
  return undefined;
}

/** The check in a stored result: the submitted result merged over the check definition, with defaults. */
export interface CheckResult {
  readonly name: string;
  readonly output: string;
  readonly status: number;
  /** Time at which the command ran, in epoch seconds. */
  readonly executed: number;
  /** Time at which the run was requested, in epoch seconds. */
  readonly issued: number;
  readonly [attribute: string]: unknown;
}

/**
 * The part of a stored result that is in memory, for decisions and counts. Attributes that these do not need may be
 * absent.
 */
export interface CachedResult {
  readonly name: string;
  readonly status: number;
  /** Time at which the command ran, in epoch seconds. */
  readonly executed: number;
  readonly [attribute: string]: unknown;
}

/**
 * A stored result: an item of `GET /results`. `check.history` has integers here and strings in events (completion 1.4).
 */
export interface StoredResult {
  readonly client: string;
  readonly check: CheckResult & { readonly history: readonly number[] };
}

/** Maximum number of results in one `POST /api/mon/v1/results`. */
export const BATCH_MAX = 10_000;

/** Schema of the check in a result or event, with only the attributes that callers rely on, see `response.ts`. */
export const checkResponse = z.looseObject({
  name: z.string().describe('Name of the check.'),
  status: z.number().describe('Status of the result: 0 is OK, 1 is warning, 2 is critical, others are unknown.'),
  output: textOrEmpty.describe('Output of the check.'),
});

/** Schema of `StoredResult`, with only the attributes that callers rely on, see `response.ts`. */
export const resultResponse: z.ZodType<StoredResult> = z.looseObject({
  client: z.string(),
  check: checkResponse.extend({
    executed: z.number(),
    issued: numberOrZero,
    history: z
      .array(z.coerce.number())
      .nullish()
      .transform((history) => history ?? []),
  }),
});

/**
 * The response to a batch of results. All valid results are stored; each rejected one is listed by its index in the
 * batch.
 */
export const batchResponse = responseSchema(
  z.object({ accepted: z.number(), rejected: z.array(z.object({ index: z.number(), error: z.string() })) }),
);
export type BatchResponse = z.infer<typeof batchResponse>;
