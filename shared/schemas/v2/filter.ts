import { z } from 'zod';
import { textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';
import { v2WindowsSchema } from './windows.ts';

/** A filter of the v2 API. `shared/domain/v2/filter.ts` parses its expressions when the filter is stored. */
export const v2FilterSchema = z.looseObject({
  metadata: metadataSchema(),
  /** `allow`: the filter passes only events for which all expressions are true; `deny`: it rejects these events. */
  action: z.enum(['allow', 'deny']),
  expressions: z.array(z.string()).min(1, 'must contain at least one expression').max(100),
  /** Time windows in which the filter applies; absent: always. */
  when: v2WindowsSchema.nullish(),
  runtime_assets: textListSchema,
});

export type SubmittedV2Filter = z.infer<typeof v2FilterSchema>;
export type V2Filter = StoredV2Object<SubmittedV2Filter>;
