import { parseSearch } from '../../shared/domain/search.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { nearest } from '../../shared/domain/nearest.ts';
import { countText } from '../words/count-text.ts';
import { meantEvent, keyOf } from './events.ts';
import { talkOfUpgrade, UPGRADE_WORDS } from './plans.ts';
import type { LinesState } from './state.ts';
import { askAcknowledge, askResolve, askUndo, askUnsilence } from './questions.ts';
import { eventLines } from './event-lines.ts';
import { listGroups, listInhibitions } from './noise.ts';
import { sayFirst, wantedCount } from './say-first.ts';
import { countsWords, eventSentence } from './sentences.ts';
import { talkOfSilences } from './silences.ts';
import { askSilence, askSilenceBySearch, askSilenceOf, type SilenceScope } from './silencing.ts';
import type { Talk } from './talk.ts';

interface LinesCommand {
  readonly words: string;
  readonly help: string;
  /** `true`: the conversation is over. */
  readonly run: (state: LinesState, talk: Talk, rest: string) => Promise<boolean | void> | boolean | void;
}

const COMMANDS: Readonly<Record<string, LinesCommand>> = {
  next: { words: 'next', help: 'the next event, worst first', run: (state, talk) => step(state, talk, 1) },
  previous: { words: 'previous', help: 'the event before', run: (state, talk) => step(state, talk, -1) },
  list: { words: 'list [NUMBER]', help: 'that many events from the top, else ten', run: list },
  open: {
    words: 'open [EVENT]',
    help: 'everything about the event that was read last, or about another: client/check, or words that find it',
    run: (state, talk, rest) => withEvent(state, talk, rest, (row) => eventLines(state, talk, row)),
  },
  silence: {
    words: 'silence [EVENT | client [NAME] | check [NAME] | subscription NAME | search [SEARCH]]',
    help: 'silence it, all checks of a client, a check everywhere, a subscription, or what a search finds; asks for how long, from when, or when again and again, and why',
    run: silence,
  },
  acknowledge: {
    words: 'acknowledge [EVENT]',
    help: 'silence it until it resolves',
    run: (state, talk, rest) => withEvent(state, talk, rest, (row) => askAcknowledge(state, talk, row)),
  },
  unsilence: {
    words: 'unsilence [EVENT]',
    help: 'end the silences on it',
    run: (state, talk, rest) => withEvent(state, talk, rest, (row) => askUnsilence(state, talk, row)),
  },
  resolve: {
    words: 'resolve [EVENT]',
    help: 'resolve it',
    run: (state, talk, rest) => withEvent(state, talk, rest, (row) => askResolve(state, talk, row)),
  },
  upgrade: {
    words: UPGRADE_WORDS,
    help: 'read the plan for an upgrade, or make one and carry it out, each step after its question',
    run: talkOfUpgrade,
  },
  silences: {
    words: 'silences [NUMBER | end NUMBER]',
    help: 'what is silenced, about to end first: that many, else ten; end: the one that was read with this number',
    run: talkOfSilences,
  },
  groups: {
    words: 'groups [NUMBER]',
    help: 'groups of events that handlers tell together, those that wait first: that many, else ten',
    run: listGroups,
  },
  inhibitions: {
    words: 'inhibitions [NUMBER]',
    help: 'rules that keep events quiet, and because of what; filter inhibited_by=NAME shows the events of one',
    run: listInhibitions,
  },
  undo: { words: 'undo', help: 'take back the last silence that was made or ended here', run: askUndo },
  filter: {
    words: 'filter [SEARCH | off]',
    help: 'read and announce only events that match, as in: filter status>=warn !web; off: all of them',
    run: filter,
  },
  status: { words: 'status', help: 'how many events there are, and whether the backend is connected', run: status },
  quiet: { words: 'quiet', help: 'announce nothing, or announce again', run: quiet },
  help: { words: 'help', help: 'this', run: help },
  quit: { words: 'quit', help: 'leave', run: () => true },
};

/**
 * Does what a line says. A verb may be cut short as long as it means one thing, and may begin with a colon.
 *
 * @returns whether the conversation is over
 */
export async function runCommand(line: string, state: LinesState, talk: Talk): Promise<boolean> {
  const [, verb = '', rest = ''] = /^\s*:?(\S*)\s*(.*)$/.exec(line) ?? [];
  if (verb === '') return false;
  const meant = COMMANDS[verb] === undefined ? meantVerbs(verb) : [verb];
  const command = meant.length === 1 ? COMMANDS[meant[0] ?? ''] : undefined;
  if (command === undefined) {
    talk.say(unknownVerb(verb, meant));
    return false;
  }
  return (await command.run(state, talk, rest.trim())) === true;
}

/** Of two verbs of which one begins with the other the short one: `sil` is `silence`. */
function meantVerbs(typed: string): readonly string[] {
  const meant = Object.keys(COMMANDS).filter((verb) => verb.startsWith(typed));
  return meant.filter((verb) => !meant.some((other) => other !== verb && verb.startsWith(other)));
}

function unknownVerb(typed: string, meant: readonly string[]): string {
  if (meant.length > 1) return safeLine(`${typed} may be ${meant.join(' or ')}: type more of it.`);
  const near = nearest(typed, Object.keys(COMMANDS));
  return safeLine(
    `There is no ${typed}.${near === undefined ? '' : ` Did you mean ${near}?`} Type help for all there is.`,
  );
}

function step(state: LinesState, talk: Talk, by: 1 | -1): void {
  const shown = state.shown();
  const at = shown.findIndex((row) => keyOf(row) === state.current);
  // What was read last may be gone: then the top is next.
  const to = at === -1 ? 0 : at + by;
  const row = shown[to];
  if (row !== undefined) return read(state, talk, row, to, shown.length);
  talk.say(shown.length === 0 ? nothingText(state) : `That was the ${by === 1 ? 'last' : 'first'} event.`);
}

function read(state: LinesState, talk: Talk, row: EventRow, index: number, total: number): void {
  state.goTo(row);
  talk.say(`${countText(index + 1)} of ${countText(total)}: ${eventSentence(row, state.nowMs)}`);
}

function list(state: LinesState, talk: Talk, rest: string): void {
  const wanted = wantedCount(talk, 'list', rest);
  if (wanted === undefined) return;
  const shown = state.shown();
  const [first] = shown;
  if (first === undefined) return talk.say(nothingText(state));
  sayFirst(talk, wanted, shown, (row) => eventSentence(row, state.nowMs));
  state.goTo(first);
}

async function withEvent(
  state: LinesState,
  talk: Talk,
  text: string,
  act: (row: EventRow) => Promise<void>,
): Promise<void> {
  const row = text === '' ? state.currentEvent() : meantEvent(state.about.events, text, state.nowMs);
  if (row === undefined) {
    const was = state.current === undefined ? 'No event was read yet' : 'The event that was read last is resolved';
    return talk.say(`${was}: type next, or name one.`);
  }
  if ('problem' in row) return talk.say(safeLine(row.problem));
  state.goTo(row);
  await act(row);
}

async function silence(state: LinesState, talk: Talk, rest: string): Promise<void> {
  const bySearch = /^search(?:\s+(.*))?$/.exec(rest);
  if (bySearch !== null) return await askSilenceBySearch(state, talk, bySearch[1] ?? '');
  const byScope = /^(client|check|subscription)(?:\s+(\S+))?$/.exec(rest);
  if (byScope === null) return await withEvent(state, talk, rest, (row) => askSilence(state, talk, row));
  const [, scope = '', typed] = byScope;
  // Of the event that was read last, unless another name is said.
  const row = state.currentEvent();
  const name = typed ?? (scope === 'client' ? row?.client : scope === 'check' ? row?.check : undefined);
  if (name === undefined) return talk.say(`Name it, as in: silence ${scope} ${EXAMPLES[scope] ?? ''}`);
  await askSilenceOf(state, talk, scope as SilenceScope, name);
}

const EXAMPLES: Readonly<Record<string, string>> = { client: 'web-1', check: 'disk', subscription: 'canary' };

function filter(state: LinesState, talk: Talk, rest: string): void {
  if (rest === '') {
    return talk.say(
      state.search === undefined ? 'There is no filter.' : `The filter is: ${safeLine(state.search.text)}`,
    );
  }
  const search = rest === 'off' ? undefined : parseSearch(rest);
  if (search?.kind === 'problem') {
    return talk.say(safeLine(`At character ${countText(search.position + 1)}: ${search.message}`));
  }
  state.search = search;
  state.current = undefined;
  talk.say(`${search === undefined ? 'No filter' : 'Filtered'}: ${countsWords(state.shown())}.`);
}

function status(state: LinesState, talk: Talk): void {
  const connection = state.isLive ? 'Connected' : 'Not connected; what follows may be out of date';
  const { size } = state.about.events;
  const of = state.search === undefined ? '' : ` The filter shows them of ${countText(size)} events.`;
  talk.say(`${connection}: ${countsWords(state.shown())}.${of}${state.isQuiet ? ' Nothing is announced.' : ''}`);
}

function quiet(state: LinesState, talk: Talk): void {
  state.isQuiet = !state.isQuiet;
  talk.say(state.isQuiet ? 'Nothing is announced until you type quiet again.' : 'What changes is announced again.');
}

function help(_state: LinesState, talk: Talk): void {
  for (const { words, help: text } of Object.values(COMMANDS)) talk.say(`${words}: ${text}.`);
  talk.say('A verb may be cut short. Any question is left with cancel.');
}

function nothingText({ search, everLive, about }: LinesState): string {
  if (!everLive) return 'Nothing is known yet: the backend is not connected.';
  if (search !== undefined && about.events.size > 0) return 'No event matches the filter; filter off shows all.';
  return 'There are no events: everything that reports is OK.';
}
