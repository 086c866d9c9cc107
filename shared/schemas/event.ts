import { z } from 'zod';
import { type CheckResult, checkResponse } from './result.ts';
import { shownAcknowledgementSchema, type ShownAcknowledgement } from './acknowledgement.ts';
import { shownEscalationsSchema, type ShownEscalation } from './escalation.ts';
import { recoverySchema, type Recovery } from './recovery.ts';
import { type Client, clientResponse } from './client.ts';
import { numberOrNull, numberOrZero, booleanOrFalse, textsOrNone } from './response.ts';

export const eventActionSchema = z.enum(['create', 'resolve', 'flapping']);
export type EventAction = z.infer<typeof eventActionSchema>;

/** The check in an event. Its history has at most 21 statuses, oldest first (completion 1.4). */
export type EventCheck = CheckResult & {
  readonly history: readonly string[];
  /** Percentage by which the status changed over the history, 0 to 101; newer changes weigh more (completion 1.5). */
  readonly total_state_change: number;
};

/**
 * An event in the format of the v1 API, with attributes in the order that existing clients expect (legacy-peer, Event
 * JSON).
 */
export interface Event {
  /** Namespace of the event; present only if all namespaces are requested. */
  readonly namespace?: string;
  readonly id: string;
  readonly client: Client;
  readonly check: EventCheck;
  readonly occurrences: number;
  readonly occurrences_watermark: number;
  /** Time of the last OK result, in epoch seconds; null if there never was one. */
  readonly last_ok: number | null;
  readonly action: EventAction;
  /** Time at which a result last updated the event, in epoch seconds. */
  readonly timestamp: number;
  /** Time of the last status change, in epoch seconds. */
  readonly last_state_change?: number | null;
  /** Present only while the event is acknowledged: an operator works on the problem. */
  readonly acknowledged?: ShownAcknowledgement;
  readonly silenced: boolean;
  /** Ids of the silences that currently match the event. */
  readonly silenced_by: readonly string[];
  /** Present only in the mon API, and only while the check is OK again but the event waits for more OK results. */
  readonly recovering?: Recovery;
  /** Present only in the mon API, and only if handlers have started escalations. */
  readonly escalations?: readonly ShownEscalation[];
}

/** Body of `POST /resolve`. */
export const resolveSchema = z.looseObject({ client: z.string(), check: z.string() });

/** Schema of `Event`, with only the attributes that callers rely on, see `response.ts`. */
export const eventResponse: z.ZodType<Event> = z.looseObject({
  id: z.string().describe('ID of the event, a UUID. It stays the same from the first failure to the resolution.'),
  client: clientResponse.describe('The client, with all its attributes.'),
  check: checkResponse
    .extend({
      executed: numberOrZero.meta({ description: 'Time at which the check ran.', 'x-unit': 'epoch seconds' }),
      issued: numberOrZero.meta({ description: 'Time at which the run was requested.', 'x-unit': 'epoch seconds' }),
      history: z
        .array(z.coerce.string())
        .nullish()
        .transform((history) => history ?? [])
        .meta({ 'x-value': 'list of text', description: 'Statuses of the last 21 results, oldest first.' }),
      total_state_change: numberOrZero.meta({
        description: 'How much the status changed over the history, 0 to 101. Newer changes weigh more.',
        'x-unit': 'percent',
      }),
    })
    .describe('The last result of the check, with the attributes of its definition.'),
  occurrences: z.number().describe('Number of results in a row with the current status.'),
  occurrences_watermark: numberOrZero.describe('Highest value of `occurrences` since the event opened.'),
  last_ok: numberOrNull.meta({ description: 'Time of the last OK result; null: never.', 'x-unit': 'epoch seconds' }),
  action: eventActionSchema.describe(
    '`create` while the problem persists, `flapping` while the check is flapping, and `resolve` in the event of the' +
      ' resolution.',
  ),
  timestamp: z
    .number()
    .meta({ description: 'Time at which a result last updated the event.', 'x-unit': 'epoch seconds' }),
  last_state_change: numberOrNull.meta({
    description: 'Time of the last change of the status; null or absent if it did not change.',
    'x-unit': 'epoch seconds',
  }),
  acknowledged: shownAcknowledgementSchema
    .exactOptional()
    .describe('Present only while an operator works on the problem.'),
  silenced: booleanOrFalse.describe('Whether a silence matches the event now.'),
  silenced_by: textsOrNone.describe('IDs of the silences that match the event now.'),
  recovering: recoverySchema
    .exactOptional()
    .describe('Only in the mon API, while the check is OK but the event waits for more OK results (`resolve_after`).'),
  escalations: shownEscalationsSchema
    .exactOptional()
    .describe('Only in the mon API: the escalations that handlers have started for the event.'),
});
