import { auditTargetName } from '../../../shared/domain/silence-name.ts';
import { switchOption, valueOption } from '../flags.ts';
import { createHash } from 'node:crypto';
import type { ApiClient, AuditQuery } from '../../../shared/client/api-client.ts';
import { followAuditChain, type AuditLink } from '../../../shared/domain/audit.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import type { AuditHead, AuditRecord } from '../../../shared/schemas/audit.ts';
import type { CommandCall, Command } from '../command.ts';
import { countedNoun } from '../counted-noun.ts';
import { ExitError } from '../exit-codes.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { cellText } from '../list.ts';
import { pollList, createTroubleReporter } from '../poll.ts';
import { ROW_OPTIONS, showRows } from '../rows.ts';
import type { Column } from '../table.ts';
import { parsePast, timestampText } from '../times.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

/** Maximum number of records that the backend returns in one response. */
const PAGE_RECORDS_MAX = 1000;

/** Default number of records that `--follow` prints at the start. */
const FOLLOWED_RECORDS = 10;

const list: Command = {
  words: ['audit', 'list'],
  summary: 'List audit records, newest first',
  details: ['The JSON output also contains the state before and after each change.'],
  options: {
    since: valueOption('TIME', 'start of the time range: 2h (ago), 22:00, yesterday 22:00, or 2026-11-20T22:00'),
    who: valueOption('NAME', 'only actions by this user, or by this creator of a silence'),
    action: valueOption('ACTION', 'show only this action, such as silence.create or event.resolve'),
    limit: valueOption(
      'N',
      `maximum number of records; default: ${String(PAGE_RECORDS_MAX)}, or ${String(FOLLOWED_RECORDS)} with --follow`,
    ),
    ...ROW_OPTIONS,
    follow: switchOption('print records oldest first, then wait for new ones', { short: 'f' }),
  },
  examples: [
    ['monctl audit list --since 1d --action silence.create', 'silences created since yesterday'],
    ['monctl audit list --follow', 'follow new records'],
  ],
  async run(call) {
    const { api, flags, output } = call;
    const query = queryOf(call);
    const limit = flags.number('limit');
    if (flags.switch('follow') === true) return followAudit(call, query, limit ?? FOLLOWED_RECORDS);
    const records = await fetchNewest(api(), query, limit ?? PAGE_RECORDS_MAX);
    await showRows(call, { columns: () => AUDIT_COLUMNS, key: ({ id }) => String(id) }, records);
    if (records.length === 0) output.note('no records');
  },
};

const verify: Command = {
  words: ['audit', 'verify'],
  summary: 'Verify that no audit record was changed or removed',
  details: [
    'Each record contains the hash of the previous record. The exit code is 8 if the chain is',
    'broken. Store the printed hash elsewhere to detect later changes of these records.',
  ],
  options: {},
  examples: [['monctl audit verify', 'verify the whole trail']],
  async run({ api, output }) {
    const verification = await verifyChain(api());
    const { records, first, last, hash } = verification;
    await output.show(verification, () =>
      safeText(
        records === 0
          ? 'there are no records'
          : `${countedNoun(records, 'records')} verified, ${String(first)} to ${String(last)}, last hash ${hash}`,
      ),
    );
  },
};

export const auditCommands: readonly Command[] = [list, verify];

function queryOf({ flags, nowMs }: Pick<CommandCall, 'flags' | 'nowMs'>): AuditQuery {
  const since = flags.value('since');
  return withoutUndefined({
    who: flags.value('who'),
    action: flags.value('action'),
    since: since === undefined ? undefined : parsePast(since, nowMs),
  });
}

/** Returns the newest records that match the query, at most `limit`, the newest first. */
async function fetchNewest(api: ApiClient, query: AuditQuery, limit: number): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (;;) {
    const pageSize = Math.min(PAGE_RECORDS_MAX, limit - records.length);
    const before = records.at(-1)?.id;
    // Pages are requested by record id and not by offset, because records may be added meanwhile.
    const page = await api.audit({ ...query, ...withoutUndefined({ before }), limit: pageSize });
    records.push(...page);
    if (page.length < pageSize || records.length >= limit) return records;
  }
}

async function followAudit({ api, clock, output }: CommandCall, query: AuditQuery, limit: number): Promise<void> {
  let after: number | undefined;
  const fetch = (): Promise<AuditRecord[]> =>
    after === undefined ? fetchNewest(api(), query, limit) : fetchNewest(api(), { ...query, after }, Infinity);
  const reportTrouble = createTroubleReporter(output);
  for await (const { items = [], trouble } of pollList(clock, fetch)) {
    reportTrouble(trouble);
    if (trouble !== undefined) continue;
    for (const record of items.toReversed()) {
      await output.showNext(record, () =>
        AUDIT_COLUMNS.map((column) => cellText(column.text(record), output.look.raw)).join('\t'),
      );
    }
    after = Math.max(after ?? 0, items[0]?.id ?? 0);
  }
}

interface AuditVerification {
  readonly records: number;
  readonly first: number;
  readonly last: number;
  readonly hash: string;
}

/**
 * Verifies the hash chain of the audit trail, from the newest record to the oldest.
 *
 * @throws ExitError that names the first invalid record that it finds
 */
async function verifyChain(api: ApiClient): Promise<AuditVerification> {
  const head = await api.auditHead();
  let { first } = head;
  let expected: AuditLink = { id: head.last, hash: head.hash };
  while (expected.id >= first) {
    const page = await api.audit({ before: expected.id + 1, limit: PAGE_RECORDS_MAX });
    for (const record of page) expected = verifyRecord(expected, record);
    // The backend may trim the oldest records meanwhile; such records do not count as missing.
    if (page.length === 0) first = await firstAfterTrim(api, expected, head);
  }
  return { records: head.last - expected.id, first: expected.id + 1, last: head.last, hash: head.hash };
}

function verifyRecord(expected: AuditLink, record: AuditRecord): AuditLink {
  const next = followAuditChain(expected, record, (text) => createHash('sha256').update(text).digest('hex'));
  if ('problem' in next) throw new ExitError(EXIT_CODES.unhealthy, next.problem);
  return next;
}

async function firstAfterTrim(api: ApiClient, expected: AuditLink, before: AuditHead): Promise<number> {
  const { first } = await api.auditHead();
  if (expected.id >= first) throw new ExitError(EXIT_CODES.unhealthy, `audit record ${String(expected.id)} is missing`);
  return Math.max(first, before.first);
}

const AUDIT_COLUMNS: readonly Column<AuditRecord>[] = [
  { title: 'ID', align: 'right', text: ({ id }) => String(id) },
  { title: 'TIME', text: ({ at }) => timestampText(Math.floor(at / 1000)), order: ({ at }) => at },
  { title: 'WHO', text: ({ who, on_behalf_of: other }) => (other === undefined ? who : `${who} for ${other}`) },
  { title: 'FROM', text: ({ from }) => from ?? '-' },
  { title: 'ACTION', text: ({ action }) => action },
  { title: 'TARGET', text: auditTargetName },
  { title: 'REASON', text: ({ reason }) => reason ?? '' },
];
