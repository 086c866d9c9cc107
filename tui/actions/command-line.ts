import { handleTopLayer, type CompletionPorts, type Action } from '../keys/action.ts';
import { ALL_VIEWS } from '../keys/context-groups.ts';
import { commandsOfContext, runCommandLine, splitCommand, type PerformAction } from './commands.ts';
import { keyContext } from '../keys/key-context.ts';
import { chooseCompletion, type CompletionCandidates } from '../text/complete-line.ts';
import { editLine, lineOf, type LineEdit } from '../text/line-editor.ts';
import { newestLine, stepInHistory } from '../text/line-history.ts';
import type { Screen } from '../state/ports.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { CommandLayer } from '../state/layers/command.ts';
import { closeLayer, layerOnTop, openLayer, putLayer } from '../state/layer-stack.ts';

/** Time in milliseconds after a submission in which the key that submits does not save the view. */
const SUBMIT_TWICE_MS = 1000;

/** Maximum number of commands in the history. */
const HISTORY_MAX = 100;

/** The completions of the word before the caret of the command line. */
export interface Completion extends CompletionCandidates {
  /** The usage of the typed command; `undefined` while its name is being typed. */
  readonly usage: string | undefined;
}

/** Opens the command line, with a text that the user can continue. */
export function openCommandLine(store: Screen, text = ''): void {
  const { commandHistory } = store.state;
  const layer: CommandLayer = {
    kind: 'command',
    ...newestLine(lineOf(text), commandHistory),
    chosen: undefined,
    problem: undefined,
  };
  openLayer(store, layer);
}

export function typeInCommandLine(store: Screen & LiveData, edit: LineEdit | undefined): void {
  const layer = layerOnTop(store, 'command');
  if (layer === undefined || edit === undefined) return;
  const line = editLine(layer.line, edit);
  putLayer(store, { ...layer, line, chosen: undefined, problem: undefined });
  // Requests the names of the namespaces now, so that they are loaded when the user types one.
  if (line.text === 'ns' && store.backends === undefined) store.request({ kind: 'load-namespaces' });
}

/** The actions in the command line, and the action that opens it. */
export const COMMAND_ACTIONS: readonly Action[] = [
  {
    name: 'command',
    keys: [':'],
    in: [
      ...ALL_VIEWS,
      'detail',
      'inspect',
      'handling',
      'dead-letter',
      'silence-entry',
      'report',
      'timeline',
      'timeline-search',
      'incident',
      'series',
      'plan-page',
      'log',
    ],
    help: 'open the command line to run any action by name',
    run: (store) => openCommandLine(store),
    runsFirst: true,
  },
  {
    name: 'save-view',
    keys: ['ctrl-s'],
    in: [...ALL_VIEWS],
    help: 'save the view with its filter, order and columns under a name',
    run: (store) => {
      // After a submission, a second Ctrl-S was meant for the form as well. No message must replace the outcome.
      if (store.options.now() - store.state.submittedAtMs > SUBMIT_TWICE_MS) openCommandLine(store, 'view save ');
    },
    runsFirst: true,
  },
  {
    name: 'command-run',
    keys: ['enter'],
    in: ['command'],
    help: 'run the command',
    hint: 'run',
    run: handleTopLayer('command', (store, layer, { perform }) => runTypedCommand(store, layer, perform)),
  },
  {
    name: 'command-next',
    keys: ['tab'],
    in: ['command'],
    help: 'complete the word; press again for the next candidate',
    run: handleTopLayer('command', (store, layer) => chooseNextCompletion(store, layer, 1)),
  },
  {
    name: 'command-previous',
    keys: ['shift-tab'],
    in: ['command'],
    help: 'go back to the previous candidate',
    run: handleTopLayer('command', (store, layer) => chooseNextCompletion(store, layer, -1)),
  },
  {
    name: 'command-older',
    keys: ['up'],
    in: ['command'],
    help: 'recall the previous command',
    run: handleTopLayer('command', (store, layer) => fromHistory(store, layer, -1)),
  },
  {
    name: 'command-newer',
    keys: ['down'],
    in: ['command'],
    help: 'recall the next command',
    run: handleTopLayer('command', (store, layer) => fromHistory(store, layer, 1)),
  },
  {
    name: 'command-cancel',
    keys: ['escape'],
    in: ['command'],
    help: 'close the command line',
    hint: 'cancel',
    run: closeLayer,
  },
];

/** Returns the completions of the word before the caret in the command line. */
export function completionOf(store: CompletionPorts, { line, chosen }: CommandLayer): Completion {
  const { state } = store;
  const { text, caret } = chosen?.typed ?? line;
  const before = text.slice(0, caret);
  const commands = commandsOfContext(keyContext({ ...state, layers: state.layers.slice(0, -1) }), store.options);
  const [, name = '', gap = ''] = /^\s*(\S*)(\s*)/u.exec(before) ?? [];
  if (gap === '') {
    const names = commands.map((command) => command.name);
    return { from: caret - name.length, candidates: startingWith(names, name), usage: undefined };
  }
  const command = commands.find((candidate) => candidate.name === name);
  const word = /[^\s(!]*$/u.exec(before)?.[0] ?? '';
  // A blank at the end of the text starts a new word, which has no letters yet.
  const { operand } = splitCommand(before);
  const typed = word === '' && operand !== '' ? `${operand} ` : operand;
  const candidates = startingWith(command?.complete?.(store, typed) ?? [], word);
  const usage = command === undefined ? undefined : `${command.name} ${command.operands}: ${command.help}`;
  return { from: caret - word.length, candidates, usage };
}

function startingWith(words: readonly string[], start: string): readonly string[] {
  return words.filter((word) => word.startsWith(start) && word !== start);
}

function chooseNextCompletion(store: ActionPorts, layer: CommandLayer, by: 1 | -1): void {
  const next = chooseCompletion(layer.line, completionOf(store, layer), layer.chosen, by);
  if (next !== undefined) putLayer(store, { ...layer, ...next, problem: undefined });
}

function runTypedCommand(store: ActionPorts, layer: CommandLayer, perform: PerformAction): void {
  const { text } = layer.line;
  closeLayer(store);
  const problem = runCommandLine(store, text, perform);
  if (problem === undefined) return rememberCommand(store, text.trim());
  // The command line opens again with its text, so that the user can fix it.
  openLayer(store, { ...layer, chosen: undefined, problem });
}

function rememberCommand(store: Screen, text: string): void {
  if (text === '') return;
  const earlier = store.state.commandHistory.filter((command) => command !== text);
  store.update({ commandHistory: [...earlier, text].slice(-HISTORY_MAX) });
}

function fromHistory(store: Screen, layer: CommandLayer, by: 1 | -1): void {
  const stepped = stepInHistory(layer, store.state.commandHistory, by);
  putLayer(store, { ...layer, ...stepped, chosen: undefined, problem: undefined });
}
