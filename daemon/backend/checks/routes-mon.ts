import { MON_API } from '../../../shared/api/mon.ts';
import type { CheckRenameResponse } from '../../../shared/schemas/check-rename.ts';
import { CHECK_SEARCH } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ScheduledCheck } from '../../../shared/schemas/scheduled-check.ts';
import type { NamedCheck } from '../model/config/definitions.ts';
import { readChecksOfClients, resultsOfCheck } from './summaries.ts';
import { checkHandlers, type CheckDependencies } from './members.ts';
import type { CheckRenamer } from './rename.ts';
import { shownCheck, shownChecks } from './queries.ts';
import { actorOf } from '../access/actor.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import {
  requestedNamespace,
  requestedNamespaces,
  entriesOf,
  type NamespacedEntry,
} from '../namespaces/request-namespaces.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import type { Store } from '../ports.ts';
import type { CheckSchedule } from '../schedule/publish-check-requests.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';
import { subdueOf } from '../../schedule/subdue.ts';

const validateRename = bodyValidator(MON_API.renameCheck);

interface ScheduledCheckDependencies extends CheckDependencies {
  readonly checkNames: CheckRenamer;
  readonly schedule: Pick<CheckSchedule, 'nextRunMs'>;
  readonly store: Store;
}

/** Serves check definitions with their next run, the results of a check, and operations such as renaming a check. */
export function checksOnMon(
  deps: ScheduledCheckDependencies,
): MonHandlers<'checks' | 'check' | 'checkResults' | 'renameCheck' | 'deleteCheck' | 'requestCheck'> {
  const { checkNames, clock, config, schedule, store } = deps;
  const shown = ({ name, ...check }: NamedCheck, namespace: Namespace): ScheduledCheck => {
    const nextMs = schedule.nextRunMs(namespace.name, name);
    return {
      ...check,
      name,
      next_run: nextMs === undefined ? null : Math.floor(nextMs / 1000),
      ...(subdueOf(check)(clock.now()) && { subdued: true as const }),
      results: namespace.resultsByCheck.countsOfCheck(name),
    };
  };
  return {
    checks: (request, reply, query) => {
      const where = searchFilter(CHECK_SEARCH, query, (check: ScheduledCheck) => check, clock.now());
      const namespaces = requestedNamespaces(request, deps);
      const entries = entriesOf(namespaces, ({ name }) => shownChecks(config.definitions.inNamespace(name)));
      const placed = ({ entry, namespace }: NamespacedEntry<NamedCheck>): ScheduledCheck =>
        namespaces.withNamespaceName(shown(entry, namespace), namespace.name);
      return sendList(request, reply, entries, (some) => some.map(placed), { where });
    },
    check: (request): ScheduledCheck => {
      const namespace = requestedNamespace(request, deps);
      const name = pathName(request, 'check');
      const check = shownCheck(config.definitions.inNamespace(namespace.name), name);
      if (check === undefined) throw new MonError('not_found', `there is no check ${name}`);
      return shown(check, namespace);
    },
    checkResults: (request, reply) => {
      const entries = resultsOfCheck(requestedNamespace(request, deps), pathName(request, 'check'));
      return sendList(request, reply, entries, (some) => readChecksOfClients(store, some, clock.now()));
    },
    renameCheck: async (request): Promise<CheckRenameResponse> => {
      const { name } = requestedNamespace(request, deps);
      const { to, force } = readBody(request, validateRename);
      const from = pathName(request, 'check');
      const rename = { from, to, isForced: force === true };
      return { moved: await checkNames.rename(name, rename, actorOf(request)) };
    },
    ...checkHandlers(deps, requestedNamespace),
  };
}
