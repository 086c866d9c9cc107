import { z } from 'zod';
import { textsSchema } from './check.ts';
import { metadataSchema, type Stored } from './metadata.ts';
import { v2WindowsSchema } from './windows.ts';

/** A filter of version 2. Its expressions are read when it is stored, by `shared/domain/v2/filter.ts`. */
export const v2FilterSchema = z.looseObject({
  metadata: metadataSchema(),
  /** `allow`: events that meet all expressions pass; `deny`: they are kept out. */
  action: z.enum(['allow', 'deny']),
  expressions: z.array(z.string()).min(1, 'must hold at least one expression').max(100),
  /** When it counts. */
  when: v2WindowsSchema.nullish(),
  runtime_assets: textsSchema,
});

export type SubmittedV2Filter = z.infer<typeof v2FilterSchema>;
export type V2Filter = Stored<SubmittedV2Filter>;
