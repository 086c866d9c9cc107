import { z } from 'zod';
import { coreNameSchema } from './metadata.ts';

/** A namespace: the one object of the newer API whose name does not stand in metadata (reference 2.7). */
export const coreNamespaceSchema = z.looseObject({ name: coreNameSchema });

export interface CoreNamespace {
  readonly name: string;
}
