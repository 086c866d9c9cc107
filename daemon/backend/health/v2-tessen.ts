import type { FastifyInstance } from 'fastify';
import { tessenMetricsSchema, tessenSchema } from '../../../shared/schemas/v2/tessen.ts';
import { V2_PREFIX } from '../access/principal.ts';
import { readBody, validator } from '../http/json-body.ts';
import { needs, routes } from '../http/route.ts';
import { sendObject } from '../http/v2-object-answer.ts';

const validateTessen = validator(tessenSchema);
const validateMetrics = validator(tessenMetricsSchema);

const TESSEN = `${V2_PREFIX}/tessen`;
/** Whatever somebody asks for: nothing ever leaves this machine. */
const OPTED_OUT = { opt_out: true };

/** The peer's reports about itself, for files and clients that switch them on or off; here there are none. */
export function tessenRoutes(app: FastifyInstance): void {
  routes(app, TESSEN, {
    GET: needs('admin', (request, reply) => sendObject(request, reply, OPTED_OUT)),
    PUT: needs('admin', (request, reply) => {
      readBody(request, validateTessen);
      return sendObject(request, reply, OPTED_OUT);
    }),
  });
  routes(app, `${TESSEN}/metrics`, {
    POST: needs('admin', (request) =>
      readBody(request, validateMetrics).map(({ name, value, timestamp, tags }) => ({
        name,
        value: value ?? 0,
        timestamp: timestamp ?? 0,
        tags: tags ?? null,
      })),
    ),
  });
}
