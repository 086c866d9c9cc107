import { tessenMetricsSchema, tessenSchema } from '../../../shared/schemas/v2/tessen.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import type { V2Handlers } from '../http/route.ts';
import { sendObject } from '../http/v2-object-response.ts';

const validateTessen = schemaValidator(tessenSchema);
const validateMetrics = schemaValidator(tessenMetricsSchema);

/** The response to every request for the Tessen settings: mon never sends telemetry. */
const OPTED_OUT = { opt_out: true };

/**
 * Serves the Tessen (telemetry) routes of Sensu Go for files and clients that enable or disable telemetry. mon sends no
 * telemetry.
 */
export const TESSEN_ON_V2: V2Handlers<'tessen'> = {
  get: (request, reply) => sendObject(request, reply, OPTED_OUT),
  put: (request, reply) => {
    readBody(request, validateTessen);
    return sendObject(request, reply, OPTED_OUT);
  },
  report: (request) =>
    readBody(request, validateMetrics).map(({ name, value, timestamp, tags }) => ({
      name,
      value: value ?? 0,
      timestamp: timestamp ?? 0,
      tags: tags ?? null,
    })),
};
