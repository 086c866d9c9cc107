import type { FastifyInstance } from 'fastify';
import { checkRenameSchema, type CheckRenameAnswer } from '../../../shared/schemas/check-rename.ts';
import { CHECK_SEARCH } from '../../../shared/domain/search-nouns.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ScheduledCheck } from '../../../shared/schemas/scheduled-check.ts';
import type { NamedCheck } from '../config/definitions.ts';
import { readChecksOfClients, resultsOfCheck } from './summaries.ts';
import { shownCheck, shownChecks } from './read.ts';
import { actorOf } from '../access/actor.ts';
import { readBody, validator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { v1Namespace, type ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf } from '../http/query.ts';
import { needs, routes } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';

const validate = validator(checkRenameSchema);

/** What the legacy API has no way to say of checks, or to do with them. */
export function checkRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { checkNames, clock, config, schedule, store } = parts;
  const shown = ({ name, ...check }: NamedCheck): ScheduledCheck => {
    const nextMs = schedule.nextRunMs(DEFAULT_NAMESPACE, name);
    return {
      ...check,
      name,
      next_run: nextMs === undefined ? null : Math.floor(nextMs / 1000),
      results: v1Namespace(parts).resultsByCheck.of(name),
    };
  };
  routes(app, '/api/mon/v1/checks', {
    GET: needs('read', (request, reply) => {
      const where = searchFilter(CHECK_SEARCH, queryOf(request), (check: ScheduledCheck) => check, clock.now());
      return sendList(
        request,
        reply,
        shownChecks(config.definitions.in(DEFAULT_NAMESPACE)),
        (some) => some.map(shown),
        { where },
      );
    }),
  });
  routes(app, '/api/mon/v1/checks/:check', {
    GET: needs('read', (request): ScheduledCheck => {
      const name = pathName(request, 'check');
      const check = shownCheck(config.definitions.in(DEFAULT_NAMESPACE), name);
      if (check === undefined) throw new MonError('not_found', `there is no check ${name}`);
      return shown(check);
    }),
  });
  routes(app, '/api/mon/v1/checks/:check/results', {
    GET: needs('read', (request, reply) => {
      const entries = resultsOfCheck(v1Namespace(parts), pathName(request, 'check'));
      return sendList(request, reply, entries, (some) => readChecksOfClients(store, some, clock.now()));
    }),
  });
  routes(app, '/api/mon/v1/checks/:check/rename', {
    POST: needs('admin', async (request): Promise<CheckRenameAnswer> => {
      const { to, force } = readBody(request, validate);
      const from = pathName(request, 'check');
      const rename = { from, to, isForced: force === true };
      return { moved: await checkNames.rename(DEFAULT_NAMESPACE, rename, actorOf(request)) };
    }),
  });
}
