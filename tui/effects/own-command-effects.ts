import type { ApiClient } from '../../shared/client/api-client.ts';
import type { Attributes } from '../../shared/domain/attributes.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { errorMessage } from '../../shared/errors.ts';
import { splitName } from '../model/backend-names.ts';
import { fillWords } from '../model/command-words.ts';
import type { LiveData } from '../model/live-data.ts';
import { targetOf } from '../model/target.ts';
import type { CommandTarget, OwnCommand } from '../state/own-command.ts';
import type { Screen } from '../state/ports.ts';
import type { ProgramOutcome } from '../terminal/run-program.ts';

/** The objects and functions that run the commands of the user. */
export interface CommandTools {
  readonly store: Screen & Pick<LiveData, 'events' | 'clients'>;
  readonly api: () => Promise<Pick<ApiClient, 'event' | 'client' | 'check'>>;
  /**
   * Runs a program that gets the terminal until it ends; `undefined` if the console has no terminal to give.
   *
   * @param isWaiting true if the user must press Enter after the program
   */
  readonly runInTerminal:
    ((words: readonly [string, ...string[]], isWaiting: boolean) => Promise<ProgramOutcome>) | undefined;
}

/** Maximum number of programs in the background at a time. */
const BACKGROUND_MAX = 4;

let runningCommands = 0;

/** Runs a command of the user on an object, and reports how it ended. */
export async function runOwnCommand(command: OwnCommand, target: CommandTarget, tools: CommandTools): Promise<void> {
  const { store, runInTerminal } = tools;
  const { name, isBackground, isWaiting } = command;
  if (isBackground && runningCommands >= BACKGROUND_MAX) {
    return store.say(
      `${name} not run: ${String(BACKGROUND_MAX)} commands are running, wait for one of them`,
      'problem',
    );
  }
  const attributes = await attributesOf(target, tools);
  const filled = fillWords(command.words, attributes);
  if ('problem' in filled) return store.say(`${name} not run: ${safeLine(filled.problem)}`, 'problem');
  if (!isBackground) {
    if (runInTerminal === undefined) return store.say(`${name} not run: there is no terminal for it`, 'problem');
    return reportOutcome(store, name, await runInTerminal(filled.words, isWaiting));
  }
  runningCommands += 1;
  store.say(`${name} started on ${safeLine(target.name)} …`);
  try {
    // The code that starts programs is only loaded with the first one.
    const { runInBackground } = await import('../terminal/run-program.ts');
    reportOutcome(store, name, await runInBackground(filled.words));
  } finally {
    runningCommands -= 1;
  }
}

function reportOutcome(store: Screen, name: string, outcome: ProgramOutcome): void {
  const line = outcome.output === '' ? '' : `: ${safeLine(outcome.output)}`;
  switch (outcome.kind) {
    case 'not-started':
      return store.say(`${name} could not be started: ${safeLine(outcome.problem)}`, 'problem');
    case 'killed':
      return store.say(`${name} was ended by ${outcome.signal}${line}`, 'problem');
    case 'exited':
      if (outcome.code === 0) return store.say(`${name} done${line}`, 'done');
      return store.say(`${name} failed with exit code ${String(outcome.code)}${line}`, 'problem');
  }
}

/**
 * Returns the attributes of an object, as the backend has them now. If the backend does not respond, returns those that
 * the feed has sent: a command such as `ssh` is needed most when the backend is away.
 */
async function attributesOf(target: CommandTarget, { store, api }: CommandTools): Promise<Attributes> {
  try {
    const loaded = await loadAttributes(target, await api());
    if (loaded !== undefined) return loaded;
  } catch (error) {
    store.say(`using the attributes of the list: ${safeLine(errorMessage(error))}`);
  }
  const { kind, name } = target;
  if (kind === 'check') return { check: { name: splitName(name).name } };
  if (kind === 'client') return { client: clientInFeed(store, name) };
  const { client, check } = targetOf(name);
  const row = store.events.get(name)?.row;
  return {
    event: { occurrences: row?.occurrences, action: row?.action },
    client: clientInFeed(store, client),
    check: { name: check, status: row?.status, output: row?.output },
  };
}

/** Returns the attributes of a client that the feed has sent, with its name at its own backend. */
function clientInFeed({ clients }: Pick<LiveData, 'clients'>, name: string): Attributes {
  return { ...clients.get(name), name: splitName(name).name };
}

async function loadAttributes(
  { kind, name }: CommandTarget,
  api: Awaited<ReturnType<CommandTools['api']>>,
): Promise<Attributes | undefined> {
  switch (kind) {
    case 'event': {
      const target = targetOf(name);
      const event = await api.event(target.client, target.check);
      return event && { event: { ...event }, client: event.client, check: event.check };
    }
    case 'client': {
      const client = await api.client(name);
      return client && { client };
    }
    case 'check': {
      const check = await api.check(name);
      return check && { check };
    }
  }
}
