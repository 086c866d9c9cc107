import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { aggregatesSchema } from '../../../shared/schemas/aggregate.ts';
import { resultsMessageSchema } from '../../../shared/schemas/agent.ts';
import { postedAlertSchema, postedAlertsSchema } from '../../../shared/schemas/alert.ts';
import { bulkSchema } from '../../../shared/schemas/bulk.ts';
import { environmentSchema } from '../../../shared/schemas/environment.ts';
import { feedRequestSchema } from '../../../shared/schemas/feed-request.ts';
import { groupNamesSchema } from '../../../shared/schemas/grouping.ts';
import { NAME_LENGTH_MAX, nameSchema, objectNameSchema, subscriptionSchema } from '../../../shared/schemas/name.ts';
import { requestSchema } from '../../../shared/schemas/request.ts';
import { restoreSchema } from '../../../shared/schemas/restore.ts';
import { resultSchema } from '../../../shared/schemas/result.ts';
import { silencePreviewSchema } from '../../../shared/schemas/silence-preview.ts';
import { newStashPathSchema } from '../../../shared/schemas/stash.ts';
import { subduesSchema } from '../../../shared/schemas/subdues.ts';
import { timeWindowsSchema } from '../../../shared/schemas/time-window.ts';
import { grantedApiKeySchema } from '../../../shared/schemas/v2/api-key.ts';
import { v2AssetSchema } from '../../../shared/schemas/v2/asset.ts';
import { v2CheckSchema } from '../../../shared/schemas/v2/check.ts';
import { parseV2Cron } from '../../../shared/schemas/v2/cron.ts';
import { v2EntitySchema } from '../../../shared/schemas/v2/entity.ts';
import { v2EventSchema } from '../../../shared/schemas/v2/event.ts';
import { executeCheckSchema } from '../../../shared/schemas/v2/execute-check.ts';
import { pairsSchema } from '../../../shared/schemas/v2/metadata.ts';
import { v2PipelineSchema } from '../../../shared/schemas/v2/pipeline.ts';
import { roleBindingSchema, roleSchema } from '../../../shared/schemas/v2/role.ts';
import { changedPasswordSchema, submittedUserSchema } from '../../../shared/schemas/v2/user.ts';

const listOf = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
const namesOf = (count: number): string[] => listOf(count, (at) => `n${String(at)}`);
const pairsOf = (count: number): Record<string, string> =>
  Object.fromEntries(namesOf(count).map((name) => [name, 'value']));

const metadata = { name: 'x', namespace: 'default' };
const CORE = { api_version: 'core/v2' };
const FILTER = { ...CORE, type: 'EventFilter', name: 'is_incident' };
const HANDLER = { ...CORE, type: 'Handler', name: 'mail' };
const entity = { metadata: { name: 'web-1', namespace: 'default' }, entity_class: 'agent' };
const check = { metadata, command: 'true', interval: 60 };
const eventOf = (points: object[]): object => ({ entity, check, metrics: { handlers: [], points } });

interface Case {
  readonly list: string;
  readonly schema: z.ZodType;
  readonly limit: number;
  /** Returns a value of this length that is valid in every other respect. */
  readonly of: (count: number) => unknown;
}

describe('the limits of lists, texts and maps in requests', () => {
  test.each<Case>([
    { list: 'aggregates of a check', schema: aggregatesSchema, limit: 100, of: namesOf },
    {
      list: 'results of a frame of an agent',
      schema: resultsMessageSchema,
      limit: 1000,
      of: (count) => ({ type: 'results', results: listOf(count, (at) => ({ id: at + 1, check: {} })) }),
    },
    { list: 'labels of an alert', schema: postedAlertSchema, limit: 200, of: (count) => ({ labels: pairsOf(count) }) },
    {
      list: 'annotations of an alert',
      schema: postedAlertSchema,
      limit: 200,
      of: (count) => ({ labels: {}, annotations: pairsOf(count) }),
    },
    {
      list: 'alerts of one request',
      schema: postedAlertsSchema,
      limit: 10_000,
      of: (count) => listOf(count, () => ({ labels: {} })),
    },
    {
      list: 'operations of a bulk request',
      schema: bulkSchema,
      limit: 10_000,
      of: (count) => ({ operations: listOf(count, () => ({ op: 'resolve', client: 'web-1', check: 'disk' })) }),
    },
    {
      list: 'variables of a command',
      schema: environmentSchema,
      limit: 1000,
      of: (count) => listOf(count, () => 'A=b'),
    },
    {
      list: 'transports of a subscription',
      schema: feedRequestSchema,
      limit: 100,
      of: (count) => ({ type: 'subscribe', topics: ['events'], transports: namesOf(count) }),
    },
    {
      list: 'events to send in full',
      schema: feedRequestSchema,
      limit: 100,
      of: (count) => ({ type: 'pace', ms: 0, full: namesOf(count) }),
    },
    { list: 'milliseconds of a pace', schema: feedRequestSchema, limit: 10_000, of: (ms) => ({ type: 'pace', ms }) },
    {
      list: 'attributes of group_by',
      schema: groupNamesSchema,
      limit: 10,
      of: (count) => listOf(count, (at) => `client.a${String(at)}`),
    },
    { list: 'characters of a name', schema: nameSchema, limit: NAME_LENGTH_MAX, of: (count) => 'x'.repeat(count) },
    {
      list: 'characters of the name of an object',
      schema: objectNameSchema,
      limit: 512,
      of: (count) => 'x'.repeat(count),
    },
    { list: 'characters of a subscription', schema: subscriptionSchema, limit: 255, of: (count) => 'x'.repeat(count) },
    {
      list: 'subscribers of a request',
      schema: requestSchema,
      limit: 1000,
      of: (count) => ({ check: 'disk', subscribers: namesOf(count) }),
    },
    {
      list: 'objects of a restore',
      schema: restoreSchema,
      limit: 100,
      of: (count) => ({ objects: listOf(count, () => ({ ...CORE, type: 'Namespace', metadata: {}, spec: {} })) }),
    },
    {
      list: 'handlers of a result',
      schema: resultSchema,
      limit: 1000,
      of: (count) => ({ name: 'disk', output: '', status: 0, handlers: namesOf(count) }),
    },
    {
      list: 'entries of a preview of silences',
      schema: silencePreviewSchema,
      limit: 1000,
      of: (count) => ({ entries: listOf(count, () => ({ check: 'disk' })) }),
    },
    {
      list: 'characters of the path of a stash',
      schema: newStashPathSchema,
      limit: 1024,
      of: (count) => 'x'.repeat(count),
    },
    {
      list: 'windows of subdues',
      schema: subduesSchema,
      limit: 100,
      of: (count) => listOf(count, () => ({ begin: '2026-01-01T10:00:00Z', end: '2026-01-01T11:00:00Z' })),
    },
    {
      list: 'windows of a day',
      schema: timeWindowsSchema,
      limit: 100,
      of: (count) => ({ days: { all: listOf(count, () => ({ begin: '10:00', end: '11:00' })) } }),
    },
    {
      list: 'seconds for which an API key is good',
      schema: grantedApiKeySchema,
      limit: 100 * 366 * 86_400,
      of: (expire) => ({ username: 'ops', expire }),
    },
    {
      list: 'builds of an asset',
      schema: v2AssetSchema,
      limit: 100,
      of: (count) => ({
        metadata,
        builds: listOf(count, () => ({ url: 'https://assets.example/a.tar.gz', sha512: 'a1'.repeat(64) })),
      }),
    },
    {
      list: 'handlers of a check',
      schema: v2CheckSchema,
      limit: 1000,
      of: (count) => ({ ...check, handlers: namesOf(count) }),
    },
    {
      list: 'subscriptions of a check',
      schema: v2CheckSchema,
      limit: 1000,
      of: (count) => ({ ...check, subscriptions: namesOf(count) }),
    },
    {
      list: 'pipelines of a check',
      schema: v2CheckSchema,
      limit: 1000,
      of: (count) => ({ ...check, pipelines: namesOf(count).map((name) => ({ name })) }),
    },
    {
      list: 'subscriptions of an entity',
      schema: v2EntitySchema,
      limit: 1000,
      of: (count) => ({ ...entity, subscriptions: namesOf(count) }),
    },
    {
      list: 'keys to redact of an entity',
      schema: v2EntitySchema,
      limit: 1000,
      of: (count) => ({ ...entity, redact: namesOf(count) }),
    },
    {
      list: 'points of an event',
      schema: v2EventSchema,
      limit: 10_000,
      of: (count) => eventOf(listOf(count, () => ({ name: 'a', value: 1 }))),
    },
    {
      list: 'tags of a point',
      schema: v2EventSchema,
      limit: 1000,
      of: (count) => eventOf([{ name: 'a', value: 1, tags: namesOf(count).map((name) => ({ name, value: 'b' })) }]),
    },
    {
      list: 'handlers of an event',
      schema: v2EventSchema,
      limit: 1000,
      of: (count) => ({ entity, check: { ...check, handlers: namesOf(count) } }),
    },
    {
      list: 'subscriptions of an ordered run',
      schema: executeCheckSchema,
      limit: 1000,
      of: (count) => ({ subscriptions: namesOf(count) }),
    },
    { list: 'labels of an object', schema: pairsSchema, limit: 1000, of: pairsOf },
    {
      list: 'workflows of a pipeline',
      schema: v2PipelineSchema,
      limit: 100,
      of: (count) => ({ metadata, workflows: namesOf(count).map((name) => ({ name, handler: HANDLER })) }),
    },
    {
      list: 'filters of a workflow',
      schema: v2PipelineSchema,
      limit: 100,
      of: (count) => ({
        metadata,
        workflows: [
          {
            name: 'w',
            handler: HANDLER,
            filters: listOf(count, () => FILTER),
          },
        ],
      }),
    },
    {
      list: 'rules of a role',
      schema: roleSchema,
      limit: 1000,
      of: (count) => ({ metadata, rules: listOf(count, () => ({ verbs: ['get'], resources: ['checks'] })) }),
    },
    {
      list: 'resources of a rule',
      schema: roleSchema,
      limit: 1000,
      of: (count) => ({ metadata, rules: [{ verbs: ['get'], resources: namesOf(count) }] }),
    },
    {
      list: 'subjects of a binding',
      schema: roleBindingSchema,
      limit: 1000,
      of: (count) => ({
        metadata,
        subjects: namesOf(count).map((name) => ({ type: 'User', name })),
        role_ref: { type: 'Role', name: 'view' },
      }),
    },
    {
      list: 'groups of a user',
      schema: submittedUserSchema,
      limit: 100,
      of: (count) => ({ username: 'ann', password: 'long enough', groups: namesOf(count) }),
    },
    {
      list: 'characters of a present password',
      schema: changedPasswordSchema,
      limit: 1024,
      of: (count) => ({
        password: 'x'.repeat(count),
        password_hash: '$2b$10$x/Wh8/4jdcf4hhm5OER0jO2ZS2NkCQKCP/aDQV8A52.RaHb7Xo9gq',
      }),
    },
  ])('the limit of $list is exactly $limit', ({ schema, limit, of }) => {
    expect(schema.safeParse(of(limit)).error?.issues).toBeUndefined();
    expect(schema.safeParse(of(limit + 1)).success).toBe(false);
  });
});

test('a cron schedule @every of more than a hundred years is rejected', () => {
  expect(parseV2Cron(`@every ${String(100 * 366 * 24)}h`)).toMatchObject({ everySeconds: 100 * 366 * 86_400 });
  expect(parseV2Cron(`@every ${String(100 * 366 * 24 + 1)}h`)).toBeUndefined();
});
