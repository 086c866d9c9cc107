import { MON_API } from '../../../shared/api/mon.ts';
import { buildOpenApi } from '../../../shared/api/openapi.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import type { MonHandlers } from './route.ts';

/** Serves the OpenAPI description of the mon API, for programs that generate clients. */
export function openApiOnMon(): MonHandlers<'openApi'> {
  // The description is built at the first request: it is rarely requested, and building it takes as long as a hundred
  // responses take.
  let text: string | undefined;
  return {
    openApi(_request, reply) {
      text ??= JSON.stringify(buildOpenApi(MON_API, { title: 'mon', version: VERSION }));
      return reply.type('application/json').send(text);
    },
  };
}
