import { MON_API } from '../../../shared/api/mon.ts';
import { kindNamed } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError } from '../../../shared/errors.ts';
import { RESTORE_MAX, type DumpPage, type RestoreResponse } from '../../../shared/schemas/restore.ts';
import type { DumpDependencies } from '../model/tables/dump-table.ts';
import { dumpPage } from './queries.ts';
import type { Restore } from './restore.ts';
import { actorOf } from '../access/actor.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import type { Audit } from '../model/audit/mutations.ts';
import type { Clock } from '../ports.ts';
import type { MonHandlers } from '../http/route.ts';

const validateRestore = bodyValidator(MON_API.restore);

/** Maximum time between two requests for pages of the same dump. */
const DUMP_PAUSE_MS = 60_000;

/**
 * Serves dump and restore of the exact state. A dump contains secrets and password hashes, so the routes are only for
 * administrators.
 */
export function dumpOnMon(
  deps: DumpDependencies & { readonly audit: Audit; readonly clock: Clock; readonly restore: Restore },
): MonHandlers<'dump' | 'restore'> {
  const { audit, clock, restore } = deps;
  const pages = new Map<string, number>();

  /**
   * True if a page is the first page of a dump. A later page without a previous page in the last minute counts as a
   * first page too, because a caller can invent the page token.
   */
  function isNewDump(who: string, type: string, after: string | undefined): boolean {
    const key = JSON.stringify([who, type]);
    const before = pages.get(key) ?? -Infinity;
    pages.set(key, clock.monotonic());
    return after === undefined || clock.monotonic() - before > DUMP_PAUSE_MS;
  }

  return {
    dump: async (request, _reply, query): Promise<DumpPage> => {
      const { type } = request.params as { type: string };
      const kind = kindNamed(type);
      if (kind === undefined) throw new MonError('not_found', `there is no object type ${type}`);
      const { namespace, continue: after } = query;
      // The audit record is written before the first secrets are sent. Later pages belong to the same dump and need no
      // record.
      if (isNewDump(request.principal.name, kind.type, after)) {
        await audit.record(actorOf(request), { action: 'dump', target: kind.type });
      }
      const limit = Math.min(Math.max(1, query.limit ?? RESTORE_MAX), RESTORE_MAX);
      return dumpPage(deps, { type: kind.type, namespace, after, limit });
    },
    restore: async (request): Promise<RestoreResponse> => ({
      results: await restore.run(readBody(request, validateRestore), actorOf(request)),
    }),
  };
}
