import { auditIds, readAudit, readAuditHead } from './queries.ts';
import { sendList } from '../http/list.ts';
import type { MonHandlers } from '../http/route.ts';
import type { Store } from '../ports.ts';

/** Maximum number of audit records in one response, because the trail and each of its records may be long. */
const PAGE_MAX = 1000;

/** Serves the audit trail (security S22), the newest record first. */
export function auditOnMon({ store }: { readonly store: Store }): MonHandlers<'audit' | 'auditHead'> {
  return {
    audit: async (request, reply, { after, before, since: sinceMs }) => {
      const ids = await auditIds(store, { after, before, sinceMs });
      return sendList(request, reply, ids, (some) => readAudit(store, some), { pageMax: PAGE_MAX });
    },
    auditHead: () => readAuditHead(store),
  };
}
