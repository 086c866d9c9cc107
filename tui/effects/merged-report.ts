import type { ApiClient } from '../../shared/client/api-client.ts';
import { compareByInhibitedChecks } from '../../shared/domain/report/causes.ts';
import { compareByDownTime, compareByStatus } from '../../shared/domain/report/checks.ts';
import { OpenByCheck } from '../../shared/domain/report/open-by-check.ts';
import { addContextToName } from '../model/backend-names.ts';

/** Maximum number of entries in each list of a report, as in the report of a single backend. */
const LIST_ENTRIES_MAX = 100;

/** Maximum number of entries in the list of the noisiest checks. */
const NOISIEST_CHECKS_MAX = 10;

type BackendReport = Awaited<ReturnType<ApiClient['report']>>;
type ReportCheck = BackendReport['open']['checks'][number];

/** The shift report of one backend, when the console shows several backends. */
export interface ReportOfBackend {
  /** The name of the backend. */
  readonly backend: string;
  readonly report: BackendReport;
}

/**
 * Joins the reports of several backends into one. Names contain their backend.
 *
 * @param reports at least one report, all of the same time span
 */
export function joinedReport(reports: readonly [ReportOfBackend, ...ReportOfBackend[]]): BackendReport {
  const [{ report: first }] = reports;
  const sum = (count: (report: BackendReport) => number): number =>
    reports.reduce((total, { report }) => total + count(report), 0);
  const open = reports.flatMap(({ backend, report }) =>
    report.open.checks.map((check) => addBackendToCheck(check, backend)),
  );
  const resolved = reports.flatMap(({ backend, report }) =>
    report.resolved.checks.map((check) => addBackendToCheck(check, backend)),
  );
  const openByCheck = new OpenByCheck<string>();
  for (const { backend, report } of reports)
    for (const { output, ...row } of report.open_by_check ?? []) openByCheck.add(addBackendToRow(row, backend), output);
  const completeSinceTimes = reports.map(({ report }) => report.complete_since);
  const trails = reports.flatMap(({ backend, report: { changes } }) =>
    changes === null ? [] : [{ backend, changes }],
  );
  return {
    since: Math.min(...reports.map(({ report }) => report.since)),
    until: Math.max(...reports.map(({ report }) => report.until)),
    // The joined report is only complete since the latest of these times. If one of them is unknown, so is the result.
    complete_since: completeSinceTimes.some((since) => since === null)
      ? null
      : Math.max(...completeSinceTimes.map((since) => since ?? 0)),
    truncated: reports.some(({ report }) => report.truncated),
    total: {
      checks: sum(({ total }) => total.checks),
      clients: sum(({ total }) => total.clients),
      outages: sum(({ total }) => total.outages),
      down: sum(({ total }) => total.down),
    },
    open: {
      count: sum((report) => report.open.count),
      checks: open.toSorted(compareByStatus).slice(0, LIST_ENTRIES_MAX),
    },
    open_by_check: openByCheck.first(LIST_ENTRIES_MAX, (output) => output),
    open_over_time: joinedOverTime(reports.map(({ report }) => report)),
    resolved: {
      count: sum((report) => report.resolved.count),
      checks: resolved.toSorted(compareByDownTime).slice(0, LIST_ENTRIES_MAX),
    },
    inhibited: {
      checks: sum(({ inhibited }) => inhibited.checks),
      count: sum(({ inhibited }) => inhibited.count),
      causes: reports
        .flatMap(({ backend, report }) =>
          report.inhibited.causes.map((cause) => ({ ...cause, client: addContextToName(cause.client, backend) })),
        )
        .toSorted(compareByInhibitedChecks)
        .slice(0, LIST_ENTRIES_MAX),
    },
    noisiest: reports
      .flatMap(({ backend, report }) =>
        report.noisiest.map((noise) => ({ ...noise, check: addContextToName(noise.check, backend) })),
      )
      .toSorted((a, b) => b.outages - a.outages)
      .slice(0, NOISIEST_CHECKS_MAX),
    actions: {
      count: sum(({ actions }) => actions.count),
      actions: reports
        .flatMap(({ backend, report }) =>
          report.actions.actions.map((action) => ({
            ...action,
            targets: action.targets.map((target) => addContextToName(target, backend)),
          })),
        )
        .toSorted((a, b) => b.at - a.at)
        .slice(0, LIST_ENTRIES_MAX),
    },
    ...joinedEscalations(reports),
    changes:
      trails.length === 0
        ? first.changes
        : {
            count: trails.reduce((total, { changes }) => total + changes.count, 0),
            changes: trails
              .flatMap(({ backend, changes }) =>
                changes.changes.map((change) => ({ ...change, target: addContextToName(change.target, backend) })),
              )
              .toSorted((a, b) => b.at - a.at)
              .slice(0, LIST_ENTRIES_MAX),
          },
  };
}

/** Joins the steps of escalations; empty if there are none. */
function joinedEscalations(reports: readonly ReportOfBackend[]): Pick<BackendReport, 'escalations'> {
  const lists = reports.flatMap(({ backend, report: { escalations } }) =>
    escalations === undefined ? [] : [{ backend, escalations }],
  );
  if (lists.length === 0) return {};
  const steps = lists.flatMap(({ backend, escalations }) =>
    escalations.steps.map((step) => ({
      ...step,
      targets: step.targets.map((target) => addContextToName(target, backend)),
    })),
  );
  return {
    escalations: {
      count: lists.reduce((total, { escalations }) => total + escalations.count, 0),
      steps: steps.toSorted((a, b) => b.at - a.at).slice(0, LIST_ENTRIES_MAX),
    },
  };
}

/** Adds up the numbers of open problems. A period is unknown if its number is unknown at one of the backends. */
function joinedOverTime(reports: readonly BackendReport[]): NonNullable<BackendReport['open_over_time']> {
  const all = reports.map(({ open_over_time: overTime }) => overTime);
  // Reports of the same time span have equal periods. A report of an older backend has none.
  const first = all.find((overTime) => overTime !== undefined);
  const sums = (severity: 'critical' | 'warning' | 'unknown'): (number | null)[] =>
    (first?.[severity] ?? []).map((_, period) => {
      const counts = all.map((overTime) => overTime?.[severity][period] ?? null);
      return counts.includes(null) ? null : counts.reduce<number>((total, count) => total + (count ?? 0), 0);
    });
  return {
    period: first?.period ?? 0,
    critical: sums('critical'),
    warning: sums('warning'),
    unknown: sums('unknown'),
  };
}

function addBackendToCheck(check: ReportCheck, backend: string): ReportCheck {
  return {
    ...addBackendToRow(check, backend),
    silences: check.silences.map((silence) => ({ ...silence, id: addContextToName(silence.id, backend) })),
  };
}

/** Adds the name of the backend to the names of clients in a row. */
function addBackendToRow<Row extends Pick<ReportCheck, 'client' | 'inhibited_by'>>(row: Row, backend: string): Row {
  const { inhibited_by: inhibitor } = row;
  return {
    ...row,
    client: addContextToName(row.client, backend),
    ...(inhibitor && { inhibited_by: { ...inhibitor, client: addContextToName(inhibitor.client, backend) } }),
  };
}
