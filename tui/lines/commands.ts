import { parseSearch } from '../../shared/domain/search.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { findNearest } from '../../shared/domain/nearest.ts';
import { countText } from '../words/count-text.ts';
import { findEvent, eventRowKey } from './events.ts';
import { runUpgradeCommand, UPGRADE_WORDS } from './plans.ts';
import type { LinesState } from './state.ts';
import { askAcknowledge, askResolve, confirmAndUndo, askUnsilence } from './questions.ts';
import { eventLines } from './event-lines.ts';
import { listFolded } from './folded-list.ts';
import { listSchedules } from './on-call.ts';
import { listGroups, listInhibitions } from './groups-and-inhibitions.ts';
import { printFirstItems, requestedCount } from './list-output.ts';
import { countsWords, eventSentence } from './sentences.ts';
import { runSilencesCommand } from './silences.ts';
import { askSilence, askSilenceBySearch, askSilenceOf, type SilenceTargetKind } from './silencing.ts';
import type { LinePrompt } from './line-prompt.ts';

interface LinesCommand {
  readonly words: string;
  readonly help: string;
  /** Runs the command with the text after its name; `true` quits the console. */
  readonly run: (state: LinesState, prompt: LinePrompt, args: string) => Promise<boolean | void> | boolean | void;
}

const LINES_COMMANDS: Readonly<Record<string, LinesCommand>> = {
  next: {
    words: 'next',
    help: 'read the next event, worst first',
    run: (state, prompt) => readNextEvent(state, prompt, 1),
  },
  previous: {
    words: 'previous',
    help: 'show the previous event',
    run: (state, prompt) => readNextEvent(state, prompt, -1),
  },
  list: {
    words: 'list [by check | by output | by cause] [NUMBER]',
    help: 'list the first NUMBER events (default: 10); "list by check" reads all events of a check as one item',
    run: listEvents,
  },
  open: {
    words: 'open [EVENT]',
    help: 'read the details of the current event, or of another event given as CLIENT/CHECK or search words',
    run: (state, prompt, args) => runForEvent(state, prompt, args, (row) => eventLines(state, prompt, row)),
  },
  silence: {
    words: 'silence [EVENT | client [NAME] | check [NAME] | subscription NAME | search [SEARCH]]',
    help: 'silence the event, all checks of a client, a check on all clients, a subscription, or a search; asks for the duration, the start or recurrence, and the reason',
    run: silenceCommand,
  },
  acknowledge: {
    words: 'acknowledge [EVENT]',
    help: 'say that you work on the event, with a note; nobody is notified of it until it resolves',
    run: (state, prompt, args) => runForEvent(state, prompt, args, (row) => askAcknowledge(state, prompt, row)),
  },
  unsilence: {
    words: 'unsilence [EVENT]',
    help: 'end the silences on the event',
    run: (state, prompt, args) => runForEvent(state, prompt, args, (row) => askUnsilence(state, prompt, row)),
  },
  resolve: {
    words: 'resolve [EVENT]',
    help: 'resolve the event',
    run: (state, prompt, args) => runForEvent(state, prompt, args, (row) => askResolve(state, prompt, row)),
  },
  upgrade: {
    words: UPGRADE_WORDS,
    help: 'read the upgrade plan, or create one and run its steps; each step asks first',
    run: runUpgradeCommand,
  },
  silences: {
    words: 'silences [NUMBER | end NUMBER]',
    help: 'list the silences that expire next (at most NUMBER silences; default: 10); "silences end NUMBER" ends the silence at that position in the list',
    run: runSilencesCommand,
  },
  groups: {
    words: 'groups [NUMBER]',
    help: 'list groups of events that share one notification, pending groups first (at most NUMBER groups; default: 10)',
    run: listGroups,
  },
  inhibitions: {
    words: 'inhibitions [NUMBER]',
    help: 'list inhibition rules and the events that trigger them; "filter inhibited_by=NAME" shows the events that a rule inhibits',
    run: listInhibitions,
  },
  schedules: {
    words: 'schedules [NUMBER]',
    help: 'list schedules with the person on call (at most NUMBER schedules; default: 10)',
    run: listSchedules,
  },
  undo: { words: 'undo', help: 'undo your last change to a silence in this session', run: confirmAndUndo },
  filter: {
    words: 'filter [SEARCH | off]',
    help: 'list and announce only matching events, for example "filter status>=warn !web"; "filter off" shows all events',
    run: setFilter,
  },
  status: {
    words: 'status',
    help: 'show event counts and whether the console is connected to the backend',
    run: printStatus,
  },
  quiet: { words: 'quiet', help: 'turn announcements of event changes off or on', run: toggleAnnouncements },
  help: { words: 'help', help: 'this', run: printHelp },
  quit: { words: 'quit', help: 'leave', run: () => true },
};

/**
 * Runs a line that was typed at the prompt. The name of the command may be shortened as long as it is unambiguous, and
 * may begin with a colon.
 *
 * @returns true if the user quits
 */
export async function runPromptCommand(line: string, state: LinesState, prompt: LinePrompt): Promise<boolean> {
  const [, verb = '', args = ''] = /^\s*:?(\S*)\s*(.*)$/.exec(line) ?? [];
  if (verb === '') return false;
  const candidates = LINES_COMMANDS[verb] === undefined ? matchingVerbs(verb) : [verb];
  const command = candidates.length === 1 ? LINES_COMMANDS[candidates[0] ?? ''] : undefined;
  if (command === undefined) {
    prompt.say(unknownVerb(verb, candidates));
    return false;
  }
  return (await command.run(state, prompt, args.trim())) === true;
}

/**
 * Returns the names of the commands that begin with the typed text. If one name begins with another, only the shorter
 * name counts: `sil` means `silence` and not `silences`.
 */
function matchingVerbs(typed: string): readonly string[] {
  const verbs = Object.keys(LINES_COMMANDS).filter((verb) => verb.startsWith(typed));
  return verbs.filter((verb) => !verbs.some((other) => other !== verb && verb.startsWith(other)));
}

function unknownVerb(typed: string, candidates: readonly string[]): string {
  if (candidates.length > 1) return safeLine(`${typed} is ambiguous: ${candidates.join(' or ')}.`);
  const near = findNearest(typed, Object.keys(LINES_COMMANDS));
  return safeLine(
    `Unknown command ${typed}.${near === undefined ? '' : ` Did you mean ${near}?`} Type "help" to list all commands.`,
  );
}

function readNextEvent(state: LinesState, prompt: LinePrompt, by: 1 | -1): void {
  const shown = state.shown();
  const at = shown.findIndex((row) => eventRowKey(row) === state.current);
  // If the current event is no longer in the list, reading starts at the first event.
  const to = at === -1 ? 0 : at + by;
  const row = shown[to];
  if (row !== undefined) return readEvent(state, prompt, row, to, shown.length);
  prompt.say(shown.length === 0 ? nothingText(state) : `That was the ${by === 1 ? 'last' : 'first'} event.`);
}

function readEvent(state: LinesState, prompt: LinePrompt, row: EventRow, index: number, total: number): void {
  state.goTo(row);
  prompt.say(`${countText(index + 1)} of ${countText(total)}: ${eventSentence(row, state.nowMs)}`);
}

function listEvents(state: LinesState, prompt: LinePrompt, args: string): void {
  const folded = /^by(?:\s+(.*))?$/.exec(args);
  if (folded !== null) return listFolded(state, prompt, folded[1] ?? '');
  const count = requestedCount(prompt, 'list', args);
  if (count === undefined) return;
  const shown = state.shown();
  const [first] = shown;
  if (first === undefined) return prompt.say(nothingText(state));
  printFirstItems(prompt, count, shown, (row) => eventSentence(row, state.nowMs));
  state.goTo(first);
}

async function runForEvent(
  state: LinesState,
  prompt: LinePrompt,
  text: string,
  act: (row: EventRow) => Promise<void>,
): Promise<void> {
  const row = text === '' ? state.currentEvent() : findEvent(state.context.events, text, state.nowMs);
  if (row === undefined) {
    const was = state.current === undefined ? 'No event was read yet' : 'The current event has resolved';
    return prompt.say(`${was}: enter "next" for the next event, or name an event as CLIENT/CHECK.`);
  }
  if ('problem' in row) return prompt.say(safeLine(row.problem));
  state.goTo(row);
  await act(row);
}

async function silenceCommand(state: LinesState, prompt: LinePrompt, args: string): Promise<void> {
  const bySearch = /^search(?:\s+(.*))?$/.exec(args);
  if (bySearch !== null) return await askSilenceBySearch(state, prompt, bySearch[1] ?? '');
  const byScope = /^(client|check|subscription)(?:\s+(\S+))?$/.exec(args);
  if (byScope === null) return await runForEvent(state, prompt, args, (row) => askSilence(state, prompt, row));
  const [, scope = '', typed] = byScope;
  // If no name was typed, the client or check of the current event is silenced.
  const row = state.currentEvent();
  const name = typed ?? (scope === 'client' ? row?.client : scope === 'check' ? row?.check : undefined);
  if (name === undefined)
    return prompt.say(`Type a name, for example "silence ${scope} ${EXAMPLE_NAMES[scope] ?? ''}"`);
  await askSilenceOf(state, prompt, scope as SilenceTargetKind, name);
}

const EXAMPLE_NAMES: Readonly<Record<string, string>> = { client: 'web-1', check: 'disk', subscription: 'canary' };

function setFilter(state: LinesState, prompt: LinePrompt, args: string): void {
  if (args === '') {
    return prompt.say(
      state.search === undefined ? 'There is no filter.' : `The filter is: ${safeLine(state.search.text)}`,
    );
  }
  const search = args === 'off' ? undefined : parseSearch(args);
  if (search?.kind === 'problem') {
    return prompt.say(safeLine(`At character ${countText(search.position + 1)}: ${search.message}`));
  }
  state.search = search;
  state.current = undefined;
  prompt.say(`${search === undefined ? 'No filter' : 'Filtered'}: ${countsWords(state.shown())}.`);
}

function printStatus(state: LinesState, prompt: LinePrompt): void {
  const connection = state.isLive ? 'Connected' : 'Not connected, the counts may be out of date';
  const { size } = state.context.events;
  const of = state.search === undefined ? '' : ` The filter hides the rest of ${countText(size)} events.`;
  prompt.say(
    `${connection}: ${countsWords(state.shown())}.${of}${state.isAnnouncementOff ? ' Announcements are off.' : ''}`,
  );
}

function toggleAnnouncements(state: LinesState, prompt: LinePrompt): void {
  state.isAnnouncementOff = !state.isAnnouncementOff;
  prompt.say(state.isAnnouncementOff ? 'Announcements are off until you type "quiet" again.' : 'Announcements are on.');
}

function printHelp(_state: LinesState, prompt: LinePrompt): void {
  for (const { words, help: text } of Object.values(LINES_COMMANDS)) prompt.say(`${words}: ${text}.`);
  prompt.say('Commands can be abbreviated. Type "cancel" to leave a question.');
}

function nothingText({ search, everLive, context }: LinesState): string {
  if (!everLive) return 'No data yet: the backend is not connected.';
  if (search !== undefined && context.events.size > 0)
    return 'No event matches the filter; type "filter off" to show all events.';
  return 'No events: everything that reports is OK.';
}
