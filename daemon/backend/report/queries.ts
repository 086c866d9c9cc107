import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { mergeActions } from '../../../shared/domain/report/actions.ts';
import { CauseCollector } from '../../../shared/domain/report/causes.ts';
import {
  compareByDownTime,
  checkProblemOf,
  statusAtTime,
  compareByStatus,
  type CheckProblem,
} from '../../../shared/domain/report/checks.ts';
import { mergeEscalations } from '../../../shared/domain/report/escalations.ts';
import { FirstItems } from '../../../shared/domain/report/first-of.ts';
import { NoiseCollector } from '../../../shared/domain/report/noise.ts';
import { OpenByCheck, type OpenCheck } from '../../../shared/domain/report/open-by-check.ts';
import type { Severity } from '../../../shared/domain/severity.ts';
import type { Span } from '../../../shared/domain/timeline/availability.ts';
import { statusCountsOf, periodMsOf, StatusCounter } from '../../../shared/domain/timeline/open-over-time.ts';
import type { OpenOverTime, Report, ReportCheck, ReportSilence } from '../../../shared/schemas/report.ts';
import { shownOutput } from '../model/events/feed-rows.ts';
import type { RequestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { ReadStore } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { SilencesOfPast, type TimelineRetention } from '../timeline/availability.ts';
import { newestEntriesOf } from '../timeline/sources.ts';
import { readSilenceSources } from '../timeline/queries.ts';
import { indexOfCheck, lastIdOf, timeOf } from '../model/timeline/storage.ts';
import { gatherReport, SLICE_ITEMS, type GatheredCheckHistory, type ReportData } from './gather.ts';
import { ActiveSilenceFinder } from './silences.ts';

/** Maximum number of checks in the list of the noisiest checks. */
const NOISIEST_CHECKS_MAX = 10;

/** Maximum number of transitions before the span that are searched for the time when a problem began. */
const SEARCHED_TRANSITIONS_MAX = 1000;

/** The parameters of a report. */
export interface ReportParameters {
  readonly requested: RequestedNamespaces;
  readonly span: Span;
  /** The retention of the timeline; undefined if no timeline is retained. */
  readonly retention: TimelineRetention | undefined;
  /** True if the span ends now, so that the outputs of open events are the current ones. */
  readonly endsNow?: boolean;
  /** Maximum number of items in each list of the report, except the noisiest checks. */
  readonly limit: number;
  readonly transitionsMax?: number;
}

/** A check that was not OK during the span, with its history. */
interface TroubledCheck {
  readonly history: GatheredCheckHistory;
  readonly problem: CheckProblem;
}

/** Reads the report for a shift handover, without the changes from the audit trail (spec, report). */
export async function readReport(store: ReadStore, parameters: ReportParameters): Promise<Omit<Report, 'changes'>> {
  const { requested, span, limit, endsNow = false } = parameters;
  const retention = parameters.retention ?? { sinceMs: span.untilMs, perCheck: Infinity };
  const { pasts, changes, actions, escalations, cutMs } = await gatherReport(
    store,
    requested,
    span,
    parameters.transitionsMax,
  );
  const retentionInSpan = { ...retention, sinceMs: Math.min(Math.max(retention.sinceMs, cutMs ?? 0), span.untilMs) };
  const { open, openByCheck, resolved, causes, noise, total } = await evaluateChecks(pasts, requested, {
    span,
    retention: retentionInSpan,
    limit,
  });
  const shown = new CheckDetailsReader(store, { requested, span, retention: retentionInSpan, endsNow });
  const deeds = mergeActions(actions);
  const steps = mergeEscalations(escalations);
  return {
    since: span.sinceMs,
    until: span.untilMs,
    complete_since: parameters.retention === undefined ? null : Math.max(retentionInSpan.sinceMs, span.sinceMs),
    truncated: cutMs !== undefined,
    total,
    open: { count: open.count, checks: await shown.detailsOf(open.items()) },
    open_by_check: openByCheck.first(limit, (past) => outputOf(past, endsNow)),
    open_over_time: await countOverTime({ pasts, changes }, span, retentionInSpan.sinceMs),
    resolved: { count: resolved.count, checks: await shown.detailsOf(resolved.items()) },
    inhibited: causes.first(limit),
    noisiest: noise.first(NOISIEST_CHECKS_MAX),
    actions: { count: deeds.length, actions: deeds.slice(0, limit) },
    ...(steps.length > 0 && { escalations: { count: steps.length, steps: steps.slice(0, limit) } }),
  };
}

interface EvaluatedChecks {
  readonly open: FirstItems<TroubledCheck>;
  readonly openByCheck: OpenByCheck<GatheredCheckHistory>;
  readonly resolved: FirstItems<TroubledCheck>;
  readonly causes: CauseCollector;
  readonly noise: NoiseCollector;
  readonly total: Report['total'];
}

async function evaluateChecks(
  pasts: readonly GatheredCheckHistory[],
  { withNamespaceName: placed }: RequestedNamespaces,
  { span, retention, limit }: { readonly span: Span; readonly retention: TimelineRetention; readonly limit: number },
): Promise<EvaluatedChecks> {
  const open = new FirstItems<TroubledCheck>(limit, (a, b) => compareByStatus(a.problem, b.problem));
  const resolved = new FirstItems<TroubledCheck>(limit, (a, b) => compareByDownTime(a.problem, b.problem));
  const openByCheck = new OpenByCheck<GatheredCheckHistory>();
  const causes = new CauseCollector();
  const noise = new NoiseCollector();
  const clients = new Set<string>();
  const total = { checks: 0, clients: 0, outages: 0, down: 0 };
  let looked = 0;
  for (const history of pasts) {
    if ((looked += 1 + history.statusChanges.length) >= SLICE_ITEMS) {
      looked = 0;
      await yieldToEventLoop();
    }
    const problem = checkProblemOf(history, span, keptSinceOf(history, retention));
    if (problem === undefined) continue;
    const { name } = history.namespace;
    (problem.ended === null ? open : resolved).add({ history, problem });
    if (problem.ended === null) openByCheck.add(placed(openCheckOf(problem), name), history);
    causes.count(problem, placed({}, name));
    noise.count(`${name}\0${history.check}`, problem, placed({}, name));
    clients.add(`${name}\0${history.client}`);
    total.checks++;
    total.outages += problem.outages;
    total.down += problem.down;
  }
  return { open, openByCheck, resolved, causes, noise, total: { ...total, clients: clients.size } };
}

function openCheckOf({ client, check, status = 0, began, inhibited_by: inhibitor }: CheckProblem): OpenCheck {
  return { check, count: 1, client, status, began, ...(inhibitor !== undefined && { inhibited_by: inhibitor }) };
}

/** Counts the open problems in each period of the span. */
async function countOverTime(
  { pasts, changes }: Pick<ReportData, 'pasts' | 'changes'>,
  span: Span,
  keptSinceMs: number,
): Promise<OpenOverTime> {
  const counter = new StatusCounter(statusCountsOf(pasts.map((past) => statusAtTime(past, span.untilMs))), span);
  for (const [index, change] of changes.entries()) {
    counter.add(change);
    if (index % SLICE_CHANGES === 0) await yieldToEventLoop();
  }
  const worst = counter.worstOfPeriods(keptSinceMs);
  const numbers = (severity: Severity): (number | null)[] => worst.map((counts) => counts?.[severity] ?? null);
  return {
    period: periodMsOf(span) / 1000,
    critical: numbers('critical'),
    warning: numbers('warning'),
    unknown: numbers('unknown'),
  };
}

/** Number of status changes that are counted before other work can run: a few milliseconds of work. */
const SLICE_CHANGES = 20_000;

/**
 * Returns the time in epoch milliseconds from which on the history of a check is complete. If the check has the maximum
 * number of transitions, older transitions can have been erased.
 */
function keptSinceOf({ statusChanges }: GatheredCheckHistory, retention: TimelineRetention): number {
  const oldest = statusChanges.at(-1);
  return oldest !== undefined && statusChanges.length >= retention.perCheck ? oldest.atMs : retention.sinceMs;
}

interface CheckDetailsOptions extends Required<Pick<ReportParameters, 'requested' | 'span' | 'endsNow'>> {
  readonly retention: TimelineRetention;
}

/** Reads the details of the checks that the report lists: their silences and outputs, and when their problems began. */
class CheckDetailsReader {
  readonly #store: ReadStore;
  readonly #options: CheckDetailsOptions;
  readonly #silences = new Map<Namespace, { readonly spans: SilencesOfPast; readonly atEnd: ActiveSilenceFinder }>();

  constructor(store: ReadStore, options: CheckDetailsOptions) {
    this.#store = store;
    this.#options = options;
  }

  async detailsOf(checks: readonly TroubledCheck[]): Promise<ReportCheck[]> {
    const shown: ReportCheck[] = [];
    for (const one of checks) {
      shown.push(await this.#readDetails(one));
      await yieldToEventLoop();
    }
    return shown;
  }

  async #readDetails({ history, problem }: TroubledCheck): Promise<ReportCheck> {
    const { requested, span, retention, endsNow } = this.#options;
    const { namespace, client, check } = history;
    const { spans, atEnd } = await this.#silencesIn(namespace);
    const silenced = await spans.silencedSpansOf(client, check);
    const fullTrouble =
      (silenced.length > 0 && checkProblemOf(history, span, keptSinceOf(history, retention), silenced)) || problem;
    const began = fullTrouble.began ?? (await this.#beginningOf(history));
    const isOpen = fullTrouble.ended === null;
    const silences = isOpen ? await atEnd.silencesOf(client, check) : [];
    const acknowledgement = isOpen && endsNow ? acknowledgementOf(history) : undefined;
    return requested.withNamespaceName(
      {
        ...fullTrouble,
        began,
        output: outputOf(history, endsNow),
        silences: acknowledgement === undefined ? silences : [acknowledgement, ...silences],
      },
      namespace.name,
    );
  }

  async #silencesIn(
    namespace: Namespace,
  ): Promise<{ readonly spans: SilencesOfPast; readonly atEnd: ActiveSilenceFinder }> {
    let silences = this.#silences.get(namespace);
    if (silences === undefined) {
      const silenceIndex = await readSilenceSources(this.#store, namespace);
      const { span } = this.#options;
      silences = {
        spans: new SilencesOfPast(this.#store, silenceIndex, this.#options),
        atEnd: new ActiveSilenceFinder(this.#store, silenceIndex, span.untilMs),
      };
      this.#silences.set(namespace, silences);
    }
    return silences;
  }

  /** Returns the time in epoch milliseconds of the last transition from OK before the span; null if it is not known. */
  async #beginningOf({ namespace, client, check }: GatheredCheckHistory): Promise<number | null> {
    const source = { namespace: namespace.name, prefix: indexOfCheck(namespace.name, client, check) };
    const { span, retention } = this.#options;
    const before = lastIdOf(Math.max(span.sinceMs, retention.sinceMs)) + 1;
    let looked = 0;
    for await (const { id, text } of newestEntriesOf(this.#store, source, before)) {
      const [was] = text.split('>');
      if (was === '' || was === '0') return timeOf(id);
      if (++looked >= SEARCHED_TRANSITIONS_MAX) break;
    }
    return null;
  }
}

/** Returns the current acknowledgement of the open event of a check; undefined if there is none. */
function acknowledgementOf({ namespace, client, check }: GatheredCheckHistory): ReportSilence | undefined {
  const acknowledgement = namespace.check(client, check)?.state.event?.acknowledgement;
  if (acknowledgement === undefined) return undefined;
  const { owner, note, until } = acknowledgement;
  return {
    id: 'acknowledgement',
    acknowledged: true,
    who: owner,
    ...(note !== undefined && { reason: note }),
    ...(until !== undefined && { end: until * 1000 }),
  };
}

/**
 * Returns the output of a check for the report: the output from a transition in the span, or else the current output.
 *
 * @param endsNow true if the span ends now; then the output of an open event is the current one
 */
function outputOf({ namespace, client, check, output }: GatheredCheckHistory, endsNow: boolean): string {
  const entry = namespace.check(client, check);
  if (entry === undefined) return output ?? '';
  const isCurrent = output === undefined || (endsNow && entry.state.event !== undefined);
  return isCurrent ? shownOutput(entry.client, entry.summary) : output;
}
