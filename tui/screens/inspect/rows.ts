import { statusRank, SEVERITIES_WORST_FIRST, type Severity } from '../../../shared/domain/severity.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import type { AggregateOutputs, InspectLayer, SubjectData } from '../../state/layers/inspect.ts';
import { targetOf, type EventTarget } from '../../model/target.ts';

/** A row of the inspect screen that the user can select. */
export interface InspectRow {
  readonly key: string;
  /** The pairs of client and check that the row represents; a group row represents several. */
  readonly targets: readonly EventTarget[];
}

/** A row with the last result of a check on a client. */
export interface ResultRow extends InspectRow {
  /** The name of the check on the screen of a client, or of the client on the screen of a check. */
  readonly name: string;
  /** The status of the result; null if there is an event whose result no longer exists. */
  readonly status: number | null;
  readonly executed: number | null;
  readonly history: readonly number[];
  readonly output: string;
  readonly isSilenced: boolean;
  readonly isFlapping: boolean;
  /** Time of the next run in epoch seconds; null if the check does not run on a schedule. */
  readonly nextRun: number | null;
}

/** A row for all clients with the same output of a check, or for one of these clients. */
export interface OutputRow extends InspectRow {
  readonly severity: Severity;
  readonly check: string;
  readonly output: string;
  readonly total: number;
  /** The name of the client; `undefined` in the row for all clients with this output. */
  readonly client: string | undefined;
  readonly isOpen: boolean;
}

/**
 * Returns all rows of a client, check or aggregate, the worst first. They are built once for each response and set of
 * opened rows.
 */
export function inspectRows({ load: { data }, opened }: InspectLayer): readonly InspectRow[] {
  if (data === undefined) return [];
  const memo = rowsCache.get(data);
  if (memo?.opened === opened) return memo.rows;
  const rows = rowsOf(data, opened);
  rowsCache.set(data, { opened, rows });
  return rows;
}

const rowsCache = new WeakMap<
  SubjectData,
  { readonly opened: ReadonlySet<string>; readonly rows: readonly InspectRow[] }
>();

/** Returns true if Enter opens or closes the list of members below the row. */
export function isGroup(row: InspectRow): boolean {
  return 'client' in row && (row as OutputRow).client === undefined;
}

/** Returns true if the row is one of the members of the group row above it. */
export function isMember(row: InspectRow): boolean {
  return 'client' in row && (row as OutputRow).client !== undefined;
}

function rowsOf(data: SubjectData, opened: ReadonlySet<string>): readonly (ResultRow | OutputRow)[] {
  switch (data.kind) {
    case 'client':
      return clientRows(data.detail);
    case 'check':
      return data.results.map((result) => ({
        ...resultRow(result.client, data.name, result),
        name: result.client,
        isSilenced: result.silenced,
        isFlapping: false,
        nextRun: null,
      }));
    case 'aggregate':
      return data.outputs.flatMap((outputs) => outputRows(outputs, opened));
    case 'result':
      return [];
  }
}

function clientRows({ client, checks }: Extract<SubjectData, { kind: 'client' }>['detail']): readonly ResultRow[] {
  const rows = checks.map(({ name, event, next_run, ...result }) => ({
    ...resultRow(client.name, name, result),
    name,
    isSilenced: (event?.silenced_by.length ?? 0) > 0,
    isFlapping: event?.action === 'flapping',
    nextRun: next_run,
  }));
  return rows.toSorted((a, b) => resultRank(a) - resultRank(b));
}

function outputRows({ severity, results }: AggregateOutputs, opened: ReadonlySet<string>): readonly OutputRow[] {
  return results.flatMap(({ check, summary }) =>
    summary.flatMap(({ output, total, clients }) => {
      const key = `${severity} ${check} ${output}`;
      const targets = clients.map((client) => targetOf(eventKey(client, check)));
      const isOpen = opened.has(key);
      const rowOf = (fields: Pick<OutputRow, 'key' | 'targets' | 'client'>): OutputRow => ({
        severity,
        check,
        output,
        total,
        isOpen,
        ...fields,
      });
      const members = isOpen ? targets : [];
      return [
        rowOf({ key, targets, client: undefined }),
        ...members.map((target) => rowOf({ key: target.key, targets: [target], client: target.client })),
      ];
    }),
  );
}

type LastResult = Pick<ResultRow, 'status' | 'executed' | 'history' | 'output'>;

function resultRow(client: string, check: string, result: LastResult): InspectRow & LastResult {
  const { status, executed, history, output } = result;
  const key = eventKey(client, check);
  return { key, targets: [targetOf(key)], status, executed, history, output };
}

/**
 * Returns the rank of a result in the default order, in which the worst result comes first and silenced results come
 * last.
 */
export function resultRank({ status, isSilenced }: ResultRow): number {
  return isSilenced ? SEVERITIES_WORST_FIRST.length : statusRank(status ?? 0);
}
