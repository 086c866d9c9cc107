import type { CheckResult, SubmittedResult } from '../schemas/result.ts';

/** A check definition. Its scheduling attributes are copied to the result too (reference 2.4). */
type Definition = Readonly<Record<string, unknown>>;

/** Returns the client that a result belongs to. */
export function clientOf(submitted: SubmittedResult, reporter: string): string {
  return submitted.source ?? reporter;
}

/**
 * Returns the check part of a result as it is stored (completion 1.4). The result is merged over the server's
 * definition, unless it is standalone. `type`, `origin`, `status` and the times are filled in. A proxy check keeps the
 * command of its definition, because tokens were substituted in that of the result (recorded exchange `proxy merge
 * command`).
 *
 * A past `executed` is kept, so that a spooled result keeps its time; a future one becomes now.
 *
 * @param submitted validated; it may be modified and returned, since copying each result would cost too much at full
 *   load
 * @param issued epoch seconds; undefined keeps the time in the result
 */
export function checkResultOf(
  submitted: SubmittedResult,
  context: {
    readonly reporter: string;
    readonly definition: Definition | undefined;
    /** Epoch seconds. */
    readonly now: number;
    readonly issued: number | undefined;
  },
): CheckResult {
  const { definition, now } = context;
  const isMerged = definition !== undefined && submitted['standalone'] !== true;
  const check: Record<string, unknown> = isMerged ? { ...definition, ...submitted } : submitted;
  const source = submitted.source ?? undefined;
  // Applies to standalone results too (recorded exchange `merge standalone`).
  if (source !== undefined && definition?.['command'] !== undefined) check['command'] = definition['command'];
  check['status'] = submitted.status ?? 0;
  check['executed'] = Math.min(submitted.executed ?? now, now);
  check['issued'] = context.issued ?? (Number.isInteger(submitted['issued']) ? submitted['issued'] : now);
  check['type'] ??= 'standard';
  if (source !== undefined) check['origin'] = context.reporter;
  const metricHandlers = check['output_metric_handlers'];
  if (Array.isArray(metricHandlers) && metricHandlers.length > 0) handleMetrics(check, metricHandlers);
  // The backend keeps its own history.
  if ('history' in check) delete check['history'];
  return check as unknown as CheckResult;
}

/** Adds the metric handlers of a v2 check to its own handlers, for all of its results (prometheus 3.3). */
function handleMetrics(check: Record<string, unknown>, metricHandlers: readonly unknown[]): void {
  if (typeof check['output_metric_format'] !== 'string' || check['output_metric_format'] === '') return;
  const { handlers, handler } = check;
  const own: readonly unknown[] = Array.isArray(handlers) ? handlers : typeof handler === 'string' ? [handler] : [];
  check['handlers'] = [...new Set([...own, ...metricHandlers])];
  check['type'] = 'metric';
}

/** Output of a result after an operator resolved the event (completion 1.4). */
const RESOLVED_OUTPUT = 'Resolving on request of the API';

/**
 * Returns the result that resolves an event on request: its check with status OK, resolved whatever its definition
 * says.
 */
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
