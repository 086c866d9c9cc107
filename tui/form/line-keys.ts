import { chordOf, type KeyPress } from '../state/keys.ts';
import type { LineEdit } from '../text/line-editor.ts';

/** The editing keys of every text field, as in a shell. */
const EDITS_BY_KEY: ReadonlyMap<string, LineEdit> = new Map<string, LineEdit>([
  ['left', { kind: 'move', to: 'left' }],
  ['ctrl-b', { kind: 'move', to: 'left' }],
  ['right', { kind: 'move', to: 'right' }],
  ['ctrl-f', { kind: 'move', to: 'right' }],
  ['home', { kind: 'move', to: 'start' }],
  ['ctrl-a', { kind: 'move', to: 'start' }],
  ['end', { kind: 'move', to: 'end' }],
  ['ctrl-e', { kind: 'move', to: 'end' }],
  ['meta-b', { kind: 'move', to: 'word-left' }],
  ['ctrl-left', { kind: 'move', to: 'word-left' }],
  ['meta-f', { kind: 'move', to: 'word-right' }],
  ['ctrl-right', { kind: 'move', to: 'word-right' }],
  ['backspace', { kind: 'delete', what: 'left' }],
  ['ctrl-h', { kind: 'delete', what: 'left' }],
  ['delete', { kind: 'delete', what: 'right' }],
  ['ctrl-d', { kind: 'delete', what: 'right' }],
  ['ctrl-w', { kind: 'delete', what: 'word-left' }],
  ['ctrl-u', { kind: 'delete', what: 'to-start' }],
  ['ctrl-k', { kind: 'delete', what: 'to-end' }],
]);

/** Returns the edit that a key makes in a text field; `undefined` if the key is not an editing key. */
export function lineEditOf(key: KeyPress): LineEdit | undefined {
  if (key.text !== undefined) return { kind: 'insert', text: key.text };
  return EDITS_BY_KEY.get(chordOf(key));
}
