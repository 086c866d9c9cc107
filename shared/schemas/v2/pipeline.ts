import { z } from 'zod';
import { objectNameSchema } from '../name.ts';
import { onCallScheduleOf } from '../on-call.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

const WORKFLOWS_MAX = 100;
const FILTERS_MAX = 100;
const HANDLER_NAME_HINT = 'must be the name of a handler, or on-call/ and the name of a schedule';

const CORE_VERSION = 'core/v2';

/**
 * Handler types of the commercial edition of Sensu Go, with their API version. A workflow may name them, but they are
 * not run.
 */
const FOREIGN_HANDLERS: readonly string[] = ['pipeline/v1.TCPStreamHandler', 'pipeline/v1.SumoLogicMetricsHandler'];

/**
 * Returns the schema of a reference to an object in the same namespace.
 *
 * @param type type of the object in `core/v2`
 * @param others further valid types, with their API version
 * @param name schema of the name of the object
 */
function referenceSchema(type: string, others: readonly string[] = [], name: z.ZodType<string> = objectNameSchema) {
  const types = [`${CORE_VERSION}.${type}`, ...others];
  return z
    .looseObject({
      name: name.describe('Name of the object, in the namespace of the pipeline.'),
      type: z.string().min(1, 'must not be empty').describe('Type of the object, such as `Handler`.'),
      api_version: z.string().min(1, 'must not be empty').describe('API version of that type: `core/v2`.'),
    })
    .refine((reference) => types.includes(`${reference.api_version}.${reference.type}`), {
      error: ({ input }) => `is of the type ${typeText(input)}: must be ${types.join(' or ')}`,
    });
}

function typeText(reference: unknown): string {
  const { api_version: version, type } = reference as { readonly api_version: string; readonly type: string };
  return `${version}.${type}`;
}

/** The name of a handler, or `on-call/NAME` for the handlers of whoever is on call. */
const handlerNameSchema = z
  .string()
  .refine((name) => objectNameSchema.safeParse(onCallScheduleOf(name) ?? name).success, HANDLER_NAME_HINT);

const workflowSchema = z.looseObject({
  name: objectNameSchema.describe('Name of the workflow. Its queue and metrics have the name `PIPELINE#WORKFLOW`.'),
  filters: z
    .array(referenceSchema('EventFilter'))
    .max(FILTERS_MAX)
    .nullish()
    .describe('Filters that an event must pass. The type is `EventFilter`.'),
  mutator: referenceSchema('Mutator')
    .nullish()
    .describe('Mutator that converts the event into the data to send. The type is `Mutator`.'),
  handler: referenceSchema('Handler', FOREIGN_HANDLERS, handlerNameSchema).describe(
    'Handler that runs, or `on-call/NAME` for whoever is on call. The type is `Handler`.',
  ),
});

/** A pipeline of the v2 API: a list of workflows. Each workflow has filters, a mutator and a handler for events. */
export const v2PipelineSchema = z.looseObject({
  metadata: metadataSchema(),
  workflows: z
    .array(workflowSchema)
    .max(WORKFLOWS_MAX)
    .nullish()
    .meta({ description: 'Workflows of the pipeline. Each runs even if another one fails.', 'x-v1': 'none' }),
});

export type SubmittedV2Pipeline = z.infer<typeof v2PipelineSchema>;
export type V2Pipeline = StoredV2Object<SubmittedV2Pipeline>;
export type V2Workflow = z.infer<typeof workflowSchema>;
