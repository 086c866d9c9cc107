import { z } from 'zod';
import { textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';
import { v2WindowsSchema } from './windows.ts';

/** A filter of the v2 API. `shared/domain/v2/filter.ts` parses its expressions when the filter is stored. */
export const v2FilterSchema = z.looseObject({
  metadata: metadataSchema(),
  action: z.enum(['allow', 'deny']).meta({
    description:
      'With `allow`, only events for which all expressions are true pass. With `deny`, these events are rejected.',
    'x-v1': '`negate: true` for `deny`',
  }),
  expressions: z.array(z.string()).min(1, 'must contain at least one expression').max(100).meta({
    description: 'Conditions on `event`. If one cannot be evaluated and no other is false, the event passes.',
    'x-v1': '`attributes`, in another notation',
  }),
  when: v2WindowsSchema.nullish().meta({
    description:
      'Time windows by day of the week, in UTC. Outside of them, `allow` rejects and `deny` passes every event.',
    'x-v1': 'the same, but outside of the windows every event passes',
  }),
  runtime_assets: textListSchema.meta({ description: 'Stored, without effect.', 'x-v1': 'none' }),
});

export type SubmittedV2Filter = z.infer<typeof v2FilterSchema>;
export type V2Filter = StoredV2Object<SubmittedV2Filter>;
