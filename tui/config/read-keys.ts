import '../actions/all.ts';
import {
  bindingOf,
  allBindings,
  boundWith,
  isAction,
  keyLabel,
  type Binding,
  type KeyAction,
  type ConfiguredKeys,
} from '../state/keys.ts';
import { findNearest } from '../../shared/domain/nearest.ts';

/** A problem in the configuration file. The path leads to the setting, as in `['views', 'mine', 'filter']`. */
export interface ConfigProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Actions that cannot be rebound: `interrupt` must always work, and `view` uses the numbers of the views. */
const FIXED_ACTIONS: ReadonlySet<KeyAction> = new Set(['interrupt', 'view']);

/** Key contexts in which the user types text, so a character cannot be the key of an action. */
const TEXT_CONTEXTS: ReadonlySet<string> = new Set(['prompt', 'form', 'menu', 'command']);

const NAMED_KEYS = 'space enter escape tab backspace delete insert up down left right home end pageup pagedown'.split(
  ' ',
);

/** Key combinations that a terminal cannot send, each with the key that the terminal sends instead. */
const UNSENDABLE_KEYS: ReadonlyMap<string, string> = new Map([
  ['ctrl-i', 'tab'],
  ['ctrl-m', 'enter'],
  ['ctrl-[', 'escape'],
]);

/**
 * Reads the key bindings of the configuration. Each unknown action, impossible key and conflict is reported as a
 * problem.
 */
export function readKeys(chordsByAction: Readonly<Record<string, readonly string[]>>): {
  readonly keys: ConfiguredKeys;
  readonly problems: readonly ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  const own: Partial<Record<KeyAction, readonly [string, ...string[]]>> = {};
  for (const [name, chords] of Object.entries(chordsByAction)) {
    const problem = isAction(name) ? problemOf(name, chords) : unknownAction(name);
    const [first, ...others] = chords;
    if (problem !== undefined) problems.push({ path: ['keys', name], message: problem });
    else if (isAction(name) && first !== undefined) own[name] = [first, ...others];
  }
  if (problems.length === 0) problems.push(...findConflicts(own));
  return { keys: own, problems };
}

function unknownAction(name: string): string {
  const names = allBindings().map(([action]) => action);
  const suggestion = findNearest(name, names);
  const hint = suggestion === undefined ? `use one of ${names.join(', ')}` : `did you mean ${suggestion}?`;
  return `there is no action ${JSON.stringify(name)}: ${hint}`;
}

function problemOf(action: KeyAction, chords: readonly string[]): string | undefined {
  if (FIXED_ACTIONS.has(action)) return `the keys of ${action} cannot be changed`;
  if (chords.length === 0) return 'set at least one key';
  return chords.map((chord) => chordProblem(chord, bindingOf(action).in)).find((problem) => problem !== undefined);
}

/** Returns the problem if a text is not a key that can be bound in these key contexts; `undefined` if it is. */
export function chordProblem(chord: string, contexts: Binding['in'] | readonly []): string | undefined {
  const [, modifiers = '', name = ''] = /^((?:ctrl-)?(?:meta-)?(?:shift-)?)(.+)$/su.exec(chord) ?? [];
  const isCharacter = /^[^\p{C}\p{Z}]$/u.test(name);
  const isNamed = NAMED_KEYS.includes(name) || /^f(?:[1-9]|[12]\d|3[0-5])$/.test(name);
  if (!isCharacter && !isNamed) {
    return `${JSON.stringify(chord)} is not a key: write a character, ${NAMED_KEYS.join(', ')} or f1 to f35, with ctrl-, meta- or shift- before it`;
  }
  const arrivesAs = UNSENDABLE_KEYS.get(chord);
  if (arrivesAs !== undefined) return `terminals send ${arrivesAs} for ${chord}: use that, or another key`;
  if (isCharacter && modifiers.includes('shift-')) return `shift is part of a character: write ${name.toUpperCase()}`;
  if (modifiers !== '' || !isCharacter) return undefined;
  if (contexts.some((context) => TEXT_CONTEXTS.has(context))) {
    return `${chord} types text here: use a key with ctrl- or meta-, or a named key`;
  }
  return /\d/.test(name) ? `${chord} opens a view: use another key` : undefined;
}

/** Returns a problem for each key that has two actions in the same context. */
function findConflicts(own: ConfiguredKeys): readonly ConfigProblem[] {
  const taken = new Map<string, KeyAction>();
  const problems = new Map<string, ConfigProblem>();
  for (const [action, binding] of boundWith(own)) {
    for (const context of binding.in) {
      for (const key of binding.keys) {
        const other = taken.get(`${context} ${key}`);
        taken.set(`${context} ${key}`, action);
        if (other === undefined || other === action) continue;
        const [changed, kept] = own[action] === undefined ? [other, action] : [action, other];
        const message = `${keyLabel(key)} is already the key of ${kept} (${bindingOf(kept).help}): give ${kept} another key too`;
        problems.set(`${changed} ${key} ${kept}`, { path: ['keys', changed], message });
      }
    }
  }
  return [...problems.values()];
}
