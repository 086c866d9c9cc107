import { z } from 'zod';
import { DOTS_MESSAGE, isDotName, NAME_LENGTH_MAX } from '../name.ts';

/**
 * The name of an asset: publisher, program and optionally a version, such as `sensu/check-disk:1.0`. No part may be `.`
 * or `..`, which a path treats as directories.
 */
export const assetNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(/^[\w/.:-]+$/, 'must be letters, digits, slashes, underscores, dots, hyphens and colons only')
  .refine((name) => !name.split('/').some(isDotName), DOTS_MESSAGE);
