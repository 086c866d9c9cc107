import type { FastifyInstance } from 'fastify';
import { checkRenameSchema, type CheckRenameAnswer } from '../../../../shared/schemas/check-rename.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { readBody, validator } from '../json-body.ts';
import type { ApiParts } from '../parts.ts';
import { pathName } from '../path-name.ts';
import { routes } from '../routes.ts';

const validate = validator(checkRenameSchema);

/** What the legacy API has no way to do with checks. */
export function checkNameRoutes(app: FastifyInstance, { checkNames }: ApiParts): void {
  routes(app, '/api/mon/v1/checks/:check/rename', {
    POST: async (request): Promise<CheckRenameAnswer> => {
      const { to, force } = readBody(request, validate);
      const from = pathName(request, 'check');
      return { moved: await checkNames.rename(DEFAULT_NAMESPACE, { from, to, isForced: force === true }) };
    },
  });
}
