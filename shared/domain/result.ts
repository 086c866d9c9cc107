import type { CheckResult, SubmittedResult } from '../schemas/result.ts';

/** Attributes of a definition that belong to the schedule and not to a result are copied as well (reference 2.4). */
type Definition = Readonly<Record<string, unknown>>;

/** Whose result it is. */
export function clientOf(submitted: SubmittedResult, reporter: string): string {
  return submitted.source ?? reporter;
}

/**
 * The check part of a result as it is stored (completion 1.4): the report merged over the server's definition, unless
 * it is standalone; `type`, `origin`, `status` and the times filled in. A proxy check keeps the command of its
 * definition, because the one in the report had its tokens substituted (recorded exchange `proxy merge command`).
 *
 * `executed` of the past is kept, so that a spooled result keeps its time; one of the future becomes now.
 *
 * @param submitted validated; the object may become the answer, since a copy of each would be felt at full load
 * @param issued epoch seconds; undefined keeps what the report says
 */
export function checkResultOf(
  submitted: SubmittedResult,
  about: {
    readonly reporter: string;
    readonly definition: Definition | undefined;
    /** Epoch seconds. */
    readonly now: number;
    readonly issued: number | undefined;
  },
): CheckResult {
  const { definition, now } = about;
  const isMerged = definition !== undefined && submitted['standalone'] !== true;
  const check: Record<string, unknown> = isMerged ? { ...definition, ...submitted } : submitted;
  const source = submitted.source ?? undefined;
  // Standalone or not (recorded exchange `merge standalone`).
  if (source !== undefined && definition?.['command'] !== undefined) check['command'] = definition['command'];
  check['status'] = submitted.status ?? 0;
  check['executed'] = Math.min(submitted.executed ?? now, now);
  check['issued'] = about.issued ?? (Number.isInteger(submitted['issued']) ? submitted['issued'] : now);
  check['type'] ??= 'standard';
  if (source !== undefined) check['origin'] = about.reporter;
  const metricHandlers = check['output_metric_handlers'];
  if (Array.isArray(metricHandlers) && metricHandlers.length > 0) handleMetrics(check, metricHandlers);
  // The history is the backend's own.
  if ('history' in check) delete check['history'];
  return check as unknown as CheckResult;
}

/**
 * A check of version 2 whose output holds metrics gives all of its results to the handlers of those, beside its own
 * (prometheus 3.3).
 */
function handleMetrics(check: Record<string, unknown>, metricHandlers: readonly unknown[]): void {
  if (typeof check['output_metric_format'] !== 'string' || check['output_metric_format'] === '') return;
  const { handlers, handler } = check;
  const own: readonly unknown[] = Array.isArray(handlers) ? handlers : typeof handler === 'string' ? [handler] : [];
  check['handlers'] = [...new Set([...own, ...metricHandlers])];
  check['type'] = 'metric';
}

/** What the output says after an operator resolved the event (completion 1.4). */
const RESOLVED_OUTPUT = 'Resolving on request of the API';

/** The result that resolves an event on request: its check, now OK, and resolved whatever its definition says. */
export function resolvingResult(
  check: CheckResult,
  client: string,
  totalStateChange: number,
  now: number,
): CheckResult {
  return {
    ...check,
    output: RESOLVED_OUTPUT,
    status: 0,
    executed: now,
    issued: now,
    ...(typeof check['source'] === 'string' ? { origin: client } : {}),
    total_state_change: totalStateChange,
    force_resolve: true,
  };
}
