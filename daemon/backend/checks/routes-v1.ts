import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { V1Handlers } from '../http/route.ts';
import { v1Namespace } from '../namespaces/request-namespaces.ts';
import { checkHandlers, type CheckDependencies } from './members.ts';
import { shownCheck, shownChecks } from './queries.ts';

/** Serves check definitions, deletes the results of checks, and requests runs (completion 1.6). */
export function checksOnV1(deps: CheckDependencies): V1Handlers<'checks' | 'check' | 'deleteCheck' | 'requestCheck'> {
  const { config } = deps;
  return {
    checks: (request, reply) =>
      sendList(request, reply, shownChecks(config.definitions.inNamespace(DEFAULT_NAMESPACE)), (some) => some),
    check: (request) => {
      const name = pathName(request, 'check');
      const check = shownCheck(config.definitions.inNamespace(DEFAULT_NAMESPACE), name);
      if (check === undefined) throw new MonError('not_found', `no check ${name} is defined for subscriptions`);
      return check;
    },
    ...checkHandlers(deps, v1Namespace),
  };
}
