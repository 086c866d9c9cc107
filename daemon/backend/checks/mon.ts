import type { FastifyInstance } from 'fastify';
import { MON_API } from '../../../shared/api/mon.ts';
import type { CheckRenameAnswer } from '../../../shared/schemas/check-rename.ts';
import { CHECK_SEARCH } from '../../../shared/domain/search-nouns.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ScheduledCheck } from '../../../shared/schemas/scheduled-check.ts';
import type { NamedCheck } from '../config/definitions.ts';
import { readChecksOfClients, resultsOfCheck } from './summaries.ts';
import { monFace } from '../http/face.ts';
import { deletesCheck } from './delete-check.ts';
import { shownCheck, shownChecks } from './read.ts';
import { actorOf } from '../access/actor.ts';
import { readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { askedNamespace, askedNamespaces, entriesOf, type Placed } from '../http/asked-namespace.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { ApiParts } from '../http/parts.ts';
import { pathName } from '../http/path-name.ts';
import { queryOf } from '../http/query.ts';
import { bodyValidator, monRoutes } from '../http/mon-routes.ts';
import { searchFilter } from '../http/search.ts';

const validate = bodyValidator(MON_API.renameCheck);

/** What the legacy API has no way to say of checks, or to do with them. */
export function checkRoutesOfMon(app: FastifyInstance, parts: ApiParts): void {
  const { checkNames, clock, config, schedule, store } = parts;
  const shown = ({ name, ...check }: NamedCheck, namespace: Namespace): ScheduledCheck => {
    const nextMs = schedule.nextRunMs(namespace.name, name);
    return {
      ...check,
      name,
      next_run: nextMs === undefined ? null : Math.floor(nextMs / 1000),
      results: namespace.resultsByCheck.of(name),
    };
  };
  monRoutes(app, {
    checks: (request, reply) => {
      const where = searchFilter(CHECK_SEARCH, queryOf(request), (check: ScheduledCheck) => check, clock.now());
      const asked = askedNamespaces(request, parts);
      const entries = entriesOf(asked, ({ name }) => shownChecks(config.definitions.in(name)));
      const placed = ({ entry, namespace }: Placed<NamedCheck>): ScheduledCheck =>
        asked.placed(shown(entry, namespace), namespace.name);
      return sendList(request, reply, entries, (some) => some.map(placed), { where });
    },
    check: (request): ScheduledCheck => {
      const namespace = askedNamespace(request, parts);
      const name = pathName(request, 'check');
      const check = shownCheck(config.definitions.in(namespace.name), name);
      if (check === undefined) throw new MonError('not_found', `there is no check ${name}`);
      return shown(check, namespace);
    },
    deleteCheck: deletesCheck(monFace('/checks/:check', parts), parts).handler,
    checkResults: (request, reply) => {
      const entries = resultsOfCheck(askedNamespace(request, parts), pathName(request, 'check'));
      return sendList(request, reply, entries, (some) => readChecksOfClients(store, some, clock.now()));
    },
    renameCheck: async (request): Promise<CheckRenameAnswer> => {
      const { name } = askedNamespace(request, parts);
      const { to, force } = readBody(request, validate);
      const from = pathName(request, 'check');
      const rename = { from, to, isForced: force === true };
      return { moved: await checkNames.rename(name, rename, actorOf(request)) };
    },
  });
}
