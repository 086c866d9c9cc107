import { z } from 'zod';
import { textsSchema } from './check.ts';
import { metadataSchema, type Stored } from './metadata.ts';
import { coreWindowsSchema } from './windows.ts';

/** A filter of the newer API. Its expressions are read when it is stored, by `shared/domain/core/filter.ts`. */
export const coreFilterSchema = z.looseObject({
  metadata: metadataSchema(),
  /** `allow`: events that meet all expressions pass; `deny`: they are kept out. */
  action: z.enum(['allow', 'deny']),
  expressions: z.array(z.string()).min(1, 'must hold at least one expression').max(100),
  /** When it counts. */
  when: coreWindowsSchema.nullish(),
  runtime_assets: textsSchema,
});

export type SubmittedCoreFilter = z.infer<typeof coreFilterSchema>;
export type CoreFilter = Stored<SubmittedCoreFilter>;
