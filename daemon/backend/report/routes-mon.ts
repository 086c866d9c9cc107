import { MON_API } from '../../../shared/api/mon.ts';
import { MonError } from '../../../shared/errors.ts';
import { isAllowed, type Principal } from '../access/principal.ts';
import { oneAtATime } from '../http/one-at-a-time.ts';
import type { MonHandlers } from '../http/route.ts';
import { requestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { readAuditChanges } from './audit.ts';
import { readReport } from './queries.ts';

const ROWS_DEFAULT = 100;
const ROWS_MAX = 1000;
const SPAN_MS = 12 * 3_600_000;

/** Maximum number of reports at a time: one that is being built, and ten that wait for their turn. */
const REPORTS_MAX = 11;

interface ReportDependencies {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Serves the report for a shift handover (spec, report). Any member of a cluster can build it, because it reads the
 * store.
 */
export function reportOnMon(deps: ReportDependencies): MonHandlers<'report'> {
  const { registry, store, clock } = deps;
  const oneByOne = oneAtATime(REPORTS_MAX, 'too many reports are requested: try again in a moment');
  return {
    report: (request, _reply, { since, until, limit = ROWS_DEFAULT }) => {
      const requested = requestedNamespaces(request, deps);
      const nowMs = clock.now();
      const untilMs = Math.min(until ?? Infinity, nowMs);
      const span = { sinceMs: since ?? untilMs - SPAN_MS, untilMs };
      if (span.sinceMs >= untilMs) throw new MonError('invalid', 'since must be before until, and before now');
      const sinceMs = registry.timeline.keptSince(nowMs);
      const retention = sinceMs === null ? undefined : { sinceMs, perCheck: registry.timeline.limits.perCheck };
      const rows = Math.max(1, Math.min(limit, ROWS_MAX));
      return oneByOne(async () => ({
        ...(await readReport(store, { requested, span, retention, endsNow: untilMs === nowMs, limit: rows })),
        changes: mayReadAudit(request.principal) ? await readAuditChanges(store, span, rows) : null,
      }));
    },
  };
}

/**
 * True if the principal is allowed to read the audit trail. The rule is that of the audit route, which is for all
 * namespaces.
 */
function mayReadAudit(principal: Principal): boolean {
  return principal.namespace === undefined && isAllowed(principal, { access: MON_API.audit.scope });
}
