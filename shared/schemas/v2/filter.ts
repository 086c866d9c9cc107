import { z } from 'zod';
import { textsSchema } from './check.ts';
import { metadataSchema, type Stored } from './metadata.ts';
import { v2WindowsSchema } from './windows.ts';

/** A filter of the v2 API. `shared/domain/v2/filter.ts` parses its expressions when it is stored. */
export const v2FilterSchema = z.looseObject({
  metadata: metadataSchema(),
  /** `allow`: events that meet all expressions pass; `deny`: they are rejected. */
  action: z.enum(['allow', 'deny']),
  expressions: z.array(z.string()).min(1, 'must contain at least one expression').max(100),
  /** The windows in which the filter applies. */
  when: v2WindowsSchema.nullish(),
  runtime_assets: textsSchema,
});

export type SubmittedV2Filter = z.infer<typeof v2FilterSchema>;
export type V2Filter = Stored<SubmittedV2Filter>;
