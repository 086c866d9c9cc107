import type { FastifyInstance } from 'fastify';
import { auditIds, readAudit, readAuditHead } from './read.ts';
import { sendList } from '../http/list.ts';
import type { ApiParts } from '../http/parts.ts';
import { queryOf, wholeNumber } from '../http/query.ts';
import { monRoutes } from '../http/mon-routes.ts';

/** Records in one answer: they may be long, and there are many. */
const PAGE_MAX = 1000;

/** The audit trail (security S22), the newest record first. */
export function auditRoutes(app: FastifyInstance, { store }: ApiParts): void {
  monRoutes(app, {
    audit: async (request, reply) => {
      const query = queryOf(request);
      const ids = await auditIds(store, {
        after: wholeNumber(query, 'after'),
        before: wholeNumber(query, 'before'),
        sinceMs: wholeNumber(query, 'since'),
      });
      return sendList(request, reply, ids, (some) => readAudit(store, some), { pageMax: PAGE_MAX });
    },
    auditHead: () => readAuditHead(store),
  });
}
