import { z } from 'zod';
import type { BatchAnswer, StoredResult } from '../schemas/result.ts';
import type { Client } from '../schemas/client.ts';
import type { Event } from '../schemas/event.ts';
import type { SilencedView } from '../schemas/silenced.ts';

/*
 * What callers rely on in an answer, and no more: older services leave attributes out and newer ones add some, and
 * both are still good answers.
 */

const strings = z.array(z.string());
const check = z.looseObject({ name: z.string(), status: z.number(), output: z.string().nullish().transform(orEmpty) });

const client = z.looseObject({
  name: z.string(),
  address: z.string().nullish().transform(orEmpty),
  subscriptions: strings.nullish().transform((subscriptions) => subscriptions ?? []),
  timestamp: z.number().nullish().transform(orZero),
  version: z.string().nullish().transform(orEmpty),
});

const action = z.enum(['create', 'resolve', 'flapping']);

const event = z.looseObject({
  id: z.string(),
  client,
  check: check.extend({
    executed: z.number().nullish().transform(orZero),
    issued: z.number().nullish().transform(orZero),
    history: z
      .array(z.coerce.string())
      .nullish()
      .transform((history) => history ?? []),
    total_state_change: z.number().nullish().transform(orZero),
  }),
  occurrences: z.number(),
  occurrences_watermark: z.number().nullish().transform(orZero),
  last_ok: z.number().nullish().transform(orNull),
  action,
  timestamp: z.number(),
  last_state_change: z.number().nullish().transform(orNull),
  silenced: z.boolean().nullish().transform(Boolean),
  silenced_by: strings.nullish().transform((ids) => ids ?? []),
});

const result = z.looseObject({
  client: z.string(),
  check: check.extend({
    executed: z.number(),
    issued: z.number().nullish().transform(orZero),
    history: z
      .array(z.coerce.number())
      .nullish()
      .transform((history) => history ?? []),
  }),
});

const silenced = z.looseObject({
  id: z.string(),
  subscription: z.string().nullish().transform(orNull),
  check: z.string().nullish().transform(orNull),
  reason: z.string().nullish().transform(orNull),
  creator: z.string().nullish().transform(orNull),
  begin: z.number().nullish().transform(orNull),
  expire_on_resolve: z.boolean().nullish().transform(Boolean),
  timestamp: z.number().nullish().transform(orZero),
  expire: z.number(),
});

const batch = z.object({
  accepted: z.number(),
  rejected: z.array(z.object({ index: z.number(), error: z.string() })),
});

const info = z.looseObject({
  sensu: z.looseObject({ version: z.string() }),
  mon: z.looseObject({ version: z.string() }).optional(),
});

/** What `GET /info` says; `mon` is missing when the backend is not ours. */
export type BackendInfo = z.infer<typeof info>;

export const answers = {
  event: event satisfies z.ZodType<Event>,
  events: z.array(event) satisfies z.ZodType<Event[]>,
  result: result satisfies z.ZodType<StoredResult>,
  results: z.array(result) satisfies z.ZodType<StoredResult[]>,
  silenced: z.array(silenced) satisfies z.ZodType<SilencedView[]>,
  client: client satisfies z.ZodType<Client>,
  clients: z.array(client) satisfies z.ZodType<Client[]>,
  batch: batch satisfies z.ZodType<BatchAnswer>,
  issued: z.object({ issued: z.number() }),
  problems: z.array(z.string()),
  info,
};

function orEmpty(text: string | null | undefined): string {
  return text ?? '';
}

function orZero(value: number | null | undefined): number {
  return value ?? 0;
}

function orNull<Value>(value: Value | null | undefined): Value | null {
  return value ?? null;
}
