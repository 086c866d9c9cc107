import { z } from 'zod';
import { DOTS_MESSAGE, isDots, NAME_LENGTH_MAX } from '../name.ts';

/**
 * The name of an asset as published: maker, program and optionally a version, `sensu/check-disk:1.0`. No part may be a
 * name that a path treats as a directory.
 */
export const assetNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(/^[\w/.:-]+$/, 'must be letters, digits, slashes, underscores, dots, hyphens and colons only')
  .refine((name) => !name.split('/').some(isDots), DOTS_MESSAGE);
