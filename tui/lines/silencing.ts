import type { ApiClient } from '../../shared/client/api-client.ts';
import { readDuration } from '../../shared/domain/duration.ts';
import { DURATION_HINT } from '../../shared/schemas/parse-duration.ts';
import type { RecurrencePart } from '../../shared/domain/recurrence.ts';
import { parseSelector } from '../../shared/domain/selector.ts';
import { lifetimeProblem, reasonProblem } from '../../shared/domain/silence-policy.ts';
import { SEVERITIES_WORST_FIRST } from '../../shared/domain/severity.ts';
import { targetId } from '../../shared/domain/silencing.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { readStartTime } from '../../shared/domain/time-text.ts';
import { readRecurrence, type WrittenRecurrence } from '../../shared/domain/written-recurrence.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { EXPIRE_NEVER } from '../../shared/schemas/lifetime.ts';
import type { Recurrence } from '../../shared/schemas/recurrence.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import type { RecentProblems } from '../../shared/schemas/silence-preview.ts';
import type { SubmittedMonSilenced } from '../../shared/schemas/silenced.ts';
import { countOf } from '../words/changes.ts';
import { countText } from '../words/count-text.ts';
import {
  recurringConflictText,
  RECURRENCE_UNSUPPORTED,
  recurrenceText,
  fullWindowText,
} from '../words/recurrence-text.ts';
import { SELECTOR_UNSUPPORTED } from '../words/silence-text.ts';
import { localClock, localZone, startText } from '../words/shown-time.ts';
import {
  promptUntilValid,
  sendChange,
  askForConfirmation,
  isChangePossible,
  readYesOrNo,
  type ParseResult,
} from './questions.ts';
import { durationWords, nameWords } from './sentences.ts';
import type { LinesState } from './state.ts';
import type { LinePrompt } from './line-prompt.ts';

/** Default lifetime of a silence in seconds, as in the dialog of the full-screen console. */
const DEFAULT_SECONDS = 3600;

type SilenceTarget = Pick<SubmittedMonSilenced, 'subscription' | 'check' | 'selector'>;

/** Numbers of open events that a silence would match now: in total, by severity, and already silenced. */
type EventCounts = Omit<NonNullable<RecentProblems['events']>, 'first'>;

/** Target of a new silence, with the texts that describe it in questions. */
interface SilenceSubject {
  /** Name of the target, without control characters. */
  readonly name: string;
  readonly target: SilenceTarget;
  /**
   * Texts and default answer for the question whether the silence ends early. It can end when its event, or the first
   * of its events, resolves.
   */
  readonly resolving: { readonly question: string; readonly words: string; readonly usually: boolean };
}

/** The times of a silence, as fields of the request and in words. */
interface SilenceTimes {
  readonly entry: Pick<SubmittedMonSilenced, 'begin' | 'expire' | 'expire_on_resolve' | 'recurrence'>;
  readonly words: string;
}

/** Creates a silence for one event, after a question for each field of the dialog. */
export async function askSilence(state: LinesState, prompt: LinePrompt, row: EventRow): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const { client, check } = row;
  const policy = await (await state.context.api()).silencePolicy();
  await askTimes(state, prompt, policy, {
    name: nameWords(row),
    target: { subscription: clientSubscription(client), check },
    resolving: { question: 'the check resolves', words: 'it resolves', usually: true },
  });
}

export type SilenceTargetKind = 'client' | 'check' | 'subscription';

/** Creates a silence for all checks of a client, for a check on all clients, or for all clients with a subscription. */
export async function askSilenceOf(
  state: LinesState,
  prompt: LinePrompt,
  scope: SilenceTargetKind,
  name: string,
): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const target: SilenceTarget =
    scope === 'check' ? { check: name } : { subscription: scope === 'client' ? clientSubscription(name) : name };
  const api = await state.context.api();
  const [policy, events] = await Promise.all([api.silencePolicy(), countMatches(api, target)]);
  if (events !== undefined) printMatches(prompt, events, policy);
  const names = {
    client: `all checks of ${name}`,
    check: `${name} on all clients`,
    subscription: `subscription ${name}`,
  };
  await askTimes(state, prompt, policy, { name: safeLine(names[scope]), target, resolving: FIRST_RESOLVING });
}

/** Creates a silence for the events that match a search, including later events. */
export async function askSilenceBySearch(state: LinesState, prompt: LinePrompt, typed: string): Promise<void> {
  if (!isChangePossible(state, prompt)) return;
  const read = typed === '' ? undefined : readSelector(typed);
  if (read !== undefined && 'problem' in read) prompt.say(safeLine(`${read.problem}.`));
  const selector =
    read !== undefined && 'value' in read
      ? read.value
      : await promptUntilValid(
          prompt,
          'Silence which events? Type a search, for example client~web-* env=prod check!=backup:',
          readSelector,
        );
  if (selector === undefined) return;
  const api = await state.context.api();
  const [policy, events] = await Promise.all([api.silencePolicy(), countMatches(api, { selector })]);
  if (events === undefined) return prompt.say(`Nothing was changed: ${SELECTOR_UNSUPPORTED}.`);
  printMatches(prompt, events, policy, 'is the search right?');
  await askTimes(state, prompt, policy, {
    name: safeLine(`everything matching ${selector}`),
    target: { selector },
    resolving: FIRST_RESOLVING,
  });
}

/**
 * Counts the open events that a silence of this target would match now.
 *
 * @returns `undefined` if the backend does not count them
 */
async function countMatches(
  api: Pick<ApiClient, 'silencePreview'>,
  target: SilenceTarget,
): Promise<EventCounts | undefined> {
  return (await api.silencePreview({ entries: [target] })).events;
}

const FIRST_RESOLVING: SilenceSubject['resolving'] = {
  question: 'the first of these resolves',
  words: 'the first of these resolves',
  usually: false,
};

function printMatches(prompt: LinePrompt, events: EventCounts, policy: SilencePolicy, doubt = 'is that right?'): void {
  prompt.say(matchWords(events));
  if (events.total >= policy.warn_matches)
    prompt.say(`This silence would cover ${countOf(events.total, 'event')}: ${doubt}`);
}

async function askTimes(
  state: LinesState,
  prompt: LinePrompt,
  policy: SilencePolicy,
  subject: SilenceSubject,
): Promise<void> {
  const { name, target } = subject;
  const span = await promptUntilValid(
    prompt,
    `Silence ${name} for how long? For example 15m, 4h, 1d, 2h from 22:30, never, recurring; press Enter for 1h:`,
    (text) => readSpan(text, policy, state.nowMs),
  );
  if (span === undefined) return;
  const lost = span === 'recurring' ? undefined : await lostRecurrence(state, target);
  if (lost !== undefined) return prompt.say(`Nothing was changed: ${lost}.`);
  const times =
    span === 'recurring' ? await askWindows(state, prompt, policy, target) : await askResolving(prompt, span, subject);
  if (times === undefined) return;
  const reason = await promptUntilValid(prompt, 'Reason?', (text) => {
    const problem = reasonProblem(policy, { reason: text });
    return problem === undefined ? { value: text.trim() } : { problem };
  });
  if (reason === undefined || !(await askForConfirmation(prompt, `Silence ${name}${times.words}?`))) return;
  const words = { creator: state.context.creator, ...(reason !== '' && { reason }) };
  await sendChange(state, prompt, {
    verb: 'silence',
    operations: [{ op: 'silence', ...target, ...times.entry, ...words }],
  });
}

/**
 * Returns an error message if a recurring silence with the same id exists; otherwise `undefined`. The backend refuses
 * to replace it with a silence that does not recur.
 */
async function lostRecurrence(state: LinesState, target: SilenceTarget): Promise<string | undefined> {
  const present = await (await state.context.api()).silencedDetail(targetId(target));
  return present?.recurrence === undefined ? undefined : recurringConflictText(present);
}

async function askResolving(
  prompt: LinePrompt,
  { expire, begin }: SilenceSpan,
  { resolving }: SilenceSubject,
): Promise<SilenceTimes | undefined> {
  const { question, words } = resolving;
  // A planned silence must not end before its window because the check is OK, as in the dialog of the console.
  const usually = resolving.usually && begin === undefined;
  const onResolve = await promptUntilValid(
    prompt,
    `End the silence early when ${question}? yes or no; press Enter for ${usually ? 'yes' : 'no'}:`,
    (text) => (text === '' ? { value: usually } : readYesOrNo(text)),
  );
  if (onResolve === undefined) return undefined;
  const start = begin === undefined ? '' : ` from ${startText(begin)}`;
  const end = expire === EXPIRE_NEVER ? 'with no end' : `for ${durationWords(expire)}`;
  return {
    entry: { ...(begin !== undefined && { begin }), expire, expire_on_resolve: onResolve },
    words: `${start} ${end}${onResolve ? `, at most until ${words}` : ''}`,
  };
}

/** Asks for the recurrence and prints its next windows, which show the effects of daylight saving time. */
async function askWindows(
  state: LinesState,
  prompt: LinePrompt,
  policy: SilencePolicy,
  target: SilenceTarget,
): Promise<SilenceTimes | undefined> {
  const recurrence = await askRecurrence(state, prompt, policy);
  if (recurrence === undefined) return undefined;
  const api: Pick<ApiClient, 'silencePreview'> = await state.context.api();
  const { windows } = await api.silencePreview({ entries: [target], recurrence });
  if (windows === undefined) {
    prompt.say(`Nothing was changed: ${RECURRENCE_UNSUPPORTED}.`);
    return undefined;
  }
  prompt.say('Next windows:');
  for (const window of windows) prompt.say(safeLine(fullWindowText(window, recurrence.zone)));
  return { entry: { recurrence }, words: safeLine(`, recurring: ${recurrenceText(recurrence)}`) };
}

interface RecurrenceQuestion {
  readonly part: RecurrencePart;
  readonly line: keyof WrittenRecurrence;
  readonly text: string;
  /** The value for an empty answer. */
  readonly usual: string;
}

/** The questions about a recurrence, in the order of the dialog of the full-screen console. */
function recurrenceQuestions(): readonly RecurrenceQuestion[] {
  return [
    {
      part: 'schedule',
      line: 'schedule',
      usual: '',
      text: 'When does each window start? For example sat,sun 02:00; daily 6:00,18:00; or a cron schedule:',
    },
    {
      part: 'zone',
      line: 'zone',
      usual: localZone(),
      text: `Time zone? For example UTC, Europe/Berlin or +02:00; press Enter for ${localZone()}:`,
    },
    {
      part: 'duration',
      line: 'duration',
      usual: '1h',
      text: 'How long is each window? For example 30m or 2h; press Enter for 1h:',
    },
    {
      part: 'first_day',
      line: 'firstDay',
      usual: '',
      text: 'First day? For example 2026-12-01; press Enter for today:',
    },
    {
      part: 'last_day',
      line: 'lastDay',
      usual: '',
      text: 'Last day? For example 2026-12-31; press Enter for no last day:',
    },
  ];
}

async function askRecurrence(
  state: LinesState,
  prompt: LinePrompt,
  policy: SilencePolicy,
): Promise<Recurrence | undefined> {
  let written: WrittenRecurrence = { schedule: '', zone: '', duration: '1h', firstDay: '', lastDay: '' };
  for (const { part, line, usual, text: question } of recurrenceQuestions()) {
    const next = await promptUntilValid(prompt, question, (text): ParseResult<WrittenRecurrence> => {
      const typed = { ...written, [line]: text === '' ? usual : text };
      const read = readRecurrence(typed, state.nowMs);
      // A problem in another part of the recurrence is reported when the question for that part is asked.
      if (read.problem !== undefined) return read.part === part ? { problem: read.problem } : { value: typed };
      const problem = part === 'duration' ? lifetimeProblem(policy, { expire: read.recurrence.duration }) : undefined;
      return problem === undefined ? { value: typed } : { problem };
    });
    if (next === undefined) return undefined;
    written = next;
  }
  const read = readRecurrence(written, state.nowMs);
  if (read.problem === undefined) return read.recurrence;
  prompt.say(safeLine(`Nothing was changed: ${read.problem}.`));
  return undefined;
}

interface SilenceSpan {
  readonly expire: number;
  /** Start of the silence in epoch seconds; `undefined` means now. */
  readonly begin?: number | undefined;
}

/**
 * Parses the duration and start of a silence, such as `2h`, `2h from 22:30`, `from tomorrow 02:00`, `never` or
 * `recurring`. The start has the format of the dialog of the full-screen console.
 */
function readSpan(text: string, policy: SilencePolicy, nowMs: number): ParseResult<SilenceSpan | 'recurring'> {
  if (/^recur(s|ring)?$/.test(text)) return { value: 'recurring' };
  const [, lasts = '', , start] = /^(.*?)\s*(\bfrom\b\s*(.*))?$/.exec(text) ?? [];
  const duration =
    lasts === '' ? { seconds: DEFAULT_SECONDS } : lasts === 'never' ? { seconds: EXPIRE_NEVER } : readDuration(lasts);
  if ('problem' in duration) return duration;
  const { seconds: expire } = duration;
  if (expire === 0) return { problem: DURATION_HINT };
  const time = start === undefined ? undefined : readStartTime(start, localClock(nowMs));
  if (time?.problem !== undefined) return { problem: time.problem };
  const begin = time === undefined ? undefined : Math.floor(time.atMs / 1000);
  const problem = lifetimeProblem(policy, { expire });
  return problem === undefined ? { value: { expire, begin } } : { problem };
}

function readSelector(text: string): ParseResult<string> {
  const selector = parseSelector(text);
  return selector.kind === 'problem' ? { problem: selector.message } : { value: selector.text };
}

/**
 * Describes the events that a silence matches, such as `It matches 12 events now: 3 critical, 9 warning; 1 of them
 * already silenced. Later matches are included.`
 */
function matchWords(events: EventCounts): string {
  const counts = SEVERITIES_WORST_FIRST.filter((severity) => events[severity] > 0)
    .map((severity) => `${countText(events[severity])} ${severity}`)
    .join(', ');
  const already = events.silenced === 0 ? '' : `; ${countText(events.silenced)} of them already silenced`;
  return `It matches ${countOf(events.total, 'event')} now${counts === '' ? '' : `: ${counts}`}${already}. Later matches are included.`;
}
