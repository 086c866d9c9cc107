import { z } from 'zod';
import { type CheckResult, checkAnswer } from './result.ts';
import { recoverySchema, type Recovery } from './recovery.ts';
import { type Client, clientAnswer } from './client.ts';
import { numberOrNull, numberOrZero, orFalse, textsOrNone } from './answer.ts';

export const eventActionSchema = z.enum(['create', 'resolve', 'flapping']);
export type EventAction = z.infer<typeof eventActionSchema>;

/** The check part of an event. Its history has at most 21 strings, oldest first (completion 1.4). */
export type EventCheck = CheckResult & {
  readonly history: readonly string[];
  /** Percent, 0 to 101 (completion 1.5). */
  readonly total_state_change: number;
};

/** An event as it is read, with attributes in the order that existing clients expect (legacy-peer, Event JSON). */
export interface Event {
  /** Present only if all namespaces are requested. */
  readonly namespace?: string;
  readonly id: string;
  readonly client: Client;
  readonly check: EventCheck;
  readonly occurrences: number;
  readonly occurrences_watermark: number;
  /** Epoch seconds; null if no OK was ever received. */
  readonly last_ok: number | null;
  readonly action: EventAction;
  /** Epoch seconds. */
  readonly timestamp: number;
  /** Epoch seconds. */
  readonly last_state_change?: number | null;
  readonly silenced: boolean;
  /** Ids of the silences that match now. */
  readonly silenced_by: readonly string[];
  /** Only in the mon API, while its check is OK again and the event waits for further OK results. */
  readonly recovering?: Recovery;
}

/** Body of `POST /resolve`. */
export const resolveSchema = z.looseObject({ client: z.string(), check: z.string() });

/** The attributes that callers rely on, see `answer.ts`. */
export const eventAnswer: z.ZodType<Event> = z.looseObject({
  id: z.string(),
  client: clientAnswer,
  check: checkAnswer.extend({
    executed: numberOrZero,
    issued: numberOrZero,
    history: z
      .array(z.coerce.string())
      .nullish()
      .transform((history) => history ?? []),
    total_state_change: numberOrZero,
  }),
  occurrences: z.number(),
  occurrences_watermark: numberOrZero,
  last_ok: numberOrNull,
  action: eventActionSchema,
  timestamp: z.number(),
  last_state_change: numberOrNull,
  silenced: orFalse,
  silenced_by: textsOrNone,
  recovering: recoverySchema.exactOptional(),
});
