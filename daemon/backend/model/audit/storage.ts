import type { AuditHead } from '../../../../shared/schemas/audit.ts';
import type { Key } from '../../ports.ts';
import type { StoredTable } from '../tables/stored-table.ts';

const AUDIT_PREFIX = 'audit';

/** Returns the key of an audit record. Audit records are only in the store, not in memory. */
export const auditKey = (id: number): Key => [AUDIT_PREFIX, id];

const HEAD_PREFIX = 'audit-head';

/** The key of the head of the audit trail, which contains the ids of its first and last record. */
export const AUDIT_HEAD_KEY: Key = [HEAD_PREFIX];

export const AUDIT_HEAD: StoredTable = {
  prefix: HEAD_PREFIX,
  replaceAll({ audit }, [head]) {
    audit.load(head === undefined ? undefined : (JSON.parse(head[1]) as AuditHead));
  },
};
