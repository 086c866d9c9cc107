import { formatDuration } from '../../shared/domain/duration.ts';
import { markdownBlock, markdownText } from '../../shared/domain/markdown.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import type { Event } from '../../shared/schemas/event.ts';
import { shownTime } from './shown-time.ts';

/** Maximum length of the output in a message, in characters. */
const OUTPUT_MAX = 2000;

/** The name of each severity in a message. */
const SEVERITY_WORDS = { critical: 'CRITICAL', warning: 'WARNING', unknown: 'UNKNOWN', ok: 'OK' } as const;

/**
 * Formats an event as Markdown for a chat or a ticket: its state, its output, its runbook, and the command that shows
 * it. Texts from outside are escaped.
 *
 * @param runbook the runbook link of the check, already validated; `undefined` if there is none
 */
export function eventMarkdown(
  { client, check, occurrences, last_state_change: since, silenced_by: silences }: Event,
  {
    runbook,
    command,
    nowMs,
  }: { readonly runbook: string | undefined; readonly command: string; readonly nowMs: number },
): string {
  const status = SEVERITY_WORDS[severityOf(check.status)];
  const name = markdownText(`${client.name}/${check.name}`);
  const age =
    since === undefined || since === null
      ? ''
      : ` for ${formatDuration(nowMs / 1000 - since)}, since ${shownTime(since * 1000)}`;
  const { output } = check;
  const shown = output.length > OUTPUT_MAX ? `${output.slice(0, OUTPUT_MAX)}…` : output;
  const links = [
    ...(silences.length === 0 ? [] : [`- silenced by ${silences.map(markdownText).join(', ')}`]),
    ...(runbook === undefined ? [] : [`- runbook: <${runbook}>`]),
    `- open: \`${command}\``,
  ];
  return [
    `**${status}** ${name}${age} (${String(occurrences)} in a row)`,
    ...(shown.trim() === '' ? [] : [markdownBlock(shown)]),
    links.join('\n'),
  ].join('\n\n');
}
