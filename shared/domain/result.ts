import type { CheckResult, SubmittedResult } from '../schemas/result.ts';

/** A check definition. All its attributes are copied to the result, even those for scheduling (reference 2.4). */
type Definition = Readonly<Record<string, unknown>>;

/** Returns the name of the client to which a result belongs: its `source`, or else the client that reported it. */
export function clientNameOfResult(submitted: SubmittedResult, reporter: string): string {
  return submitted.source ?? reporter;
}

/**
 * Returns the check of a result as it is stored (completion 1.4). Unless the result is standalone, it inherits
 * attributes from the check definition of the backend. `type`, `origin`, `status` and the times are set. A result with
 * a `source` gets the command of the definition, because tokens were replaced in its own command (recorded exchange
 * `proxy merge command`).
 *
 * An `executed` in the past is kept, so that a spooled result has the time of its run. One in the future becomes now.
 *
 * @param submitted validated result. It can be modified and returned, because copying each result would cost too much
 *   under full load
 * @param context `issued`: epoch seconds; if undefined, the time in the result is used
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
  // The command is replaced in standalone results too (recorded exchange `merge standalone`).
  if (source !== undefined && definition?.['command'] !== undefined) check['command'] = definition['command'];
  check['status'] = submitted.status ?? 0;
  check['executed'] = Math.min(submitted.executed ?? now, now);
  check['issued'] = context.issued ?? (Number.isInteger(submitted['issued']) ? submitted['issued'] : now);
  check['type'] ??= 'standard';
  if (source !== undefined) check['origin'] = context.reporter;
  const metricHandlers = check['output_metric_handlers'];
  if (Array.isArray(metricHandlers) && metricHandlers.length > 0) handleMetrics(check, metricHandlers);
  // A history in the result is removed, because the backend computes it.
  if ('history' in check) delete check['history'];
  return check as unknown as CheckResult;
}

/**
 * Adds the handlers in `output_metric_handlers` of a v2 check to its own handlers. The type becomes `metric`, so that
 * handlers get all results, even those that are OK (prometheus 3.3).
 */
function handleMetrics(check: Record<string, unknown>, metricHandlers: readonly unknown[]): void {
  if (typeof check['output_metric_format'] !== 'string' || check['output_metric_format'] === '') return;
  const { handlers, handler } = check;
  const own: readonly unknown[] = Array.isArray(handlers) ? handlers : typeof handler === 'string' ? [handler] : [];
  check['handlers'] = [...new Set([...own, ...metricHandlers])];
  check['type'] = 'metric';
}

/** Output of the result that is created when an operator resolves an event over the API (completion 1.4). */
const RESOLVED_OUTPUT = 'Resolving on request of the API';

/**
 * Returns the result that resolves an event on request of an operator: the check of the event with status OK. It takes
 * effect even if the check has `auto_resolve: false` or `resolve_after`.
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
