import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isOtherChange } from '../../../shared/domain/report/actions.ts';
import type { Span } from '../../../shared/domain/timeline/availability.ts';
import type { Report, ReportChange } from '../../../shared/schemas/report.ts';
import { auditIds, readAudit } from '../audit/queries.ts';
import type { Store } from '../ports.ts';

/** Maximum number of audit records that are read for one report. */
const RECORDS_MAX = 10_000;

/** Number of audit records that are read at once. */
const CHUNK_RECORDS = 100;

/**
 * Reads the audit records of a time span, the newest first, except actions that are also in the timeline.
 *
 * @returns at most `limit` records, and the number of all matching records
 */
export async function readAuditChanges(
  store: Store,
  { sinceMs, untilMs }: Span,
  limit: number,
): Promise<NonNullable<Report['changes']>> {
  const ids = await auditIds(store, { sinceMs });
  const changes: ReportChange[] = [];
  let count = 0;
  for (let start = 0; start < Math.min(ids.length, RECORDS_MAX); start += CHUNK_RECORDS) {
    for (const { id, at, who, action, target, reason } of await readAudit(
      store,
      ids.slice(start, start + CHUNK_RECORDS),
    )) {
      if (at > untilMs || !isOtherChange(action)) continue;
      count++;
      if (changes.length < limit) changes.push({ id, at, who, action, target, reason });
    }
    await yieldToEventLoop();
  }
  return { count, changes };
}
