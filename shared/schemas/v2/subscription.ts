import { z } from 'zod';
import { NAME_LENGTH_MAX } from '../name.ts';

/** A subscription of a check: any non-empty text, as in Sensu Go. */
export const v2SubscriptionSchema = z.string().min(1, 'must not be empty').max(NAME_LENGTH_MAX);
