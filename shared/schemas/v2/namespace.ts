import { z } from 'zod';
import { v2NameSchema } from '../name.ts';

/** A namespace. Unlike other v2 objects, its name is not in `metadata` (reference 2.7). */
export const v2NamespaceSchema = z.looseObject({ name: v2NameSchema });

export interface V2Namespace {
  readonly name: string;
}
