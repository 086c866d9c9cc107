import { countWithNoun } from '../../shared/domain/count-text.ts';
import { outputSummary } from '../../shared/domain/event-row.ts';
import { severityOf, SEVERITIES_WORST_FIRST, type Severity } from '../../shared/domain/severity.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';

/** A check on a client that was requested to run. */
interface RunTarget {
  readonly client: string;
  readonly check: string;
}

/** The result that came after a run was requested. */
export interface RunOutcome<Target extends RunTarget = RunTarget> {
  readonly target: Target;
  readonly status: number;
  readonly output: string;
}

/** Maximum number of names in one message. */
const NAMES_MAX = 3;

const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  critical: 'CRIT',
  warning: 'WARN',
  unknown: 'UNKNOWN',
  ok: 'OK',
};

/**
 * Returns the message that runs were requested: `requested http on web-01, waiting for the result`.
 *
 * @param gone the clients that have stopped sending keepalives, with the text of their last one
 */
export function runsRequestedText(
  targets: readonly RunTarget[],
  gone: readonly { readonly client: string; readonly last: string }[],
): string {
  const [only, ...others] = targets;
  if (only !== undefined && others.length === 0) {
    const [first] = gone;
    const outcome =
      first === undefined ? ', waiting for the result' : `, but nobody is connected to answer: ${first.last}`;
    return safeLine(`requested ${only.check} on ${only.client}${outcome}`);
  }
  const what = countWithNoun(targets.length, 'run');
  const waiting = gone.length < targets.length ? ', waiting for the results' : '';
  const names = listNames(gone.map(({ client }) => client));
  const goneText = gone.length === 0 ? '' : `, but nobody is connected to answer on ${names}`;
  return safeLine(`requested ${what}${waiting}${goneText}`);
}

/** Returns the message about the results of requested runs: `web-01/http answered OK: 12 ms`. */
export function runOutcomesText(outcomes: readonly RunOutcome[]): string {
  const [only, ...others] = outcomes;
  if (only !== undefined && others.length === 0) {
    const summary = outputSummary(only.output);
    const details = summary === '' ? '' : `: ${summary}`;
    return safeLine(`${nameOf(only.target)} answered ${SEVERITY_WORDS[severityOf(only.status)]}${details}`);
  }
  return `${countWithNoun(outcomes.length, 'run')} answered: ${countsText(outcomes)}`;
}

/** Returns the message about requested runs of which at least one had no result in time. */
export function runsExpiredText(
  outcomes: readonly RunOutcome[],
  missing: readonly RunTarget[],
  waitSeconds: number,
): string {
  const answers = outcomes.length === 0 ? '' : `${runOutcomesText(outcomes)}; `;
  return safeLine(`${answers}no result from ${listNames(missing.map(nameOf))} after ${String(waitSeconds)}s`);
}

function countsText(outcomes: readonly RunOutcome[]): string {
  return SEVERITIES_WORST_FIRST.flatMap((severity) => {
    const count = outcomes.filter(({ status }) => severityOf(status) === severity).length;
    return count === 0 ? [] : [`${String(count)} ${SEVERITY_WORDS[severity]}`];
  }).join(', ');
}

function nameOf({ client, check }: RunTarget): string {
  return `${client}/${check}`;
}

function listNames(names: readonly string[]): string {
  const others = names.length - NAMES_MAX;
  return others <= 0 ? names.join(', ') : `${names.slice(0, NAMES_MAX).join(', ')} and ${String(others)} more`;
}
