import { z } from 'zod';
import { DOTS_MESSAGE, isDots, NAME_LENGTH_MAX } from '../name.ts';

/**
 * The name of an asset, as assets are published: the maker, the program and perhaps the version,
 * `sensu/check-disk:1.0`. No part of it is what a path takes for a folder.
 */
export const assetNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(/^[\w/.:-]+$/, 'must be letters, digits, slashes, underscores, dots, hyphens and colons only')
  .refine((name) => !name.split('/').some(isDots), DOTS_MESSAGE);
