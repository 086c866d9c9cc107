import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../errors.ts';

/** The HTTP status of each error code. This is the only mapping of codes to statuses. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition: 412,
  threshold: 400,
  too_large: 413,
  no_memory: 507,
  unavailable: 503,
  internal: 500,
};

/** The body of an error response of the v1 API and the mon API: a message for people and a code for programs. */
export const errorResponse = z.object({
  error: z.string().describe('what is wrong and what to do, for humans'),
  code: z.enum(ERROR_CODES).describe('stable error code for programs'),
});
export type ErrorResponse = z.infer<typeof errorResponse>;
