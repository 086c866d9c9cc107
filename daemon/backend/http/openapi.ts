import { MON_API } from '../../../shared/api/mon.ts';
import { openApiOf } from '../../../shared/api/openapi.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import type { OnMon } from './route.ts';

/** The table of our own endpoints, for programs that make clients of it. */
export function openApiOnMon(): OnMon<'openApi'> {
  // Written when somebody asks for it: few do, and it takes as long as a hundred answers.
  let text: string | undefined;
  return {
    openApi(_request, reply) {
      text ??= JSON.stringify(openApiOf(MON_API, { title: 'mon', version: VERSION }));
      return reply.type('application/json').send(text);
    },
  };
}
