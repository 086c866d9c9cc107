import type { KeyAction, KeyPress } from '../../actions/keys.ts';
import { editLine, type LineEdit } from '../../form/line-editor.ts';
import { mayChange } from '../../actions/may-change.ts';
import { wishOutcome } from '../../actions/plan-wishes.ts';
import type { Screen, Says, Asks, Opened, Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { DialogField, UpgradeDialogLayer } from '../../state/layers/plans.ts';

/** The field that is being typed in, or the button under the cursor. */
export function dialogFocus({ fields, focus }: UpgradeDialogLayer): 'field' | 'cancel' | 'submit' {
  if (focus < fields.length) return 'field';
  return focus === fields.length ? 'cancel' : 'submit';
}

/** @param question `focused`: default the first field, else the button that cancels */
export function openUpgradeDialog(
  store: Screen,
  question: Pick<UpgradeDialogLayer, 'title' | 'lines' | 'button' | 'wish'> & {
    readonly fields?: readonly DialogField[];
    readonly focused?: 'submit';
    readonly command?: string | undefined;
  },
): void {
  const { fields = [], focused, command, ...rest } = question;
  const focus = focused === 'submit' ? fields.length + 1 : 0;
  const layer: UpgradeDialogLayer = {
    kind: 'upgrade-dialog',
    ...rest,
    fields,
    focus,
    command,
    problem: undefined,
  };
  store.update({ layers: [...store.state.layers, layer] });
}

export function pressUpgradeDialog(
  store: Screen & Says & Asks & Opened & Pick<Known, 'plans' | 'feed'>,
  action: KeyAction,
): void {
  const layer = upgradeDialog(store);
  if (layer === undefined) return;
  switch (action) {
    case 'form-next':
      return moveFocus(store, layer, 1);
    case 'form-previous':
      return moveFocus(store, layer, -1);
    case 'form-submit':
      return submit(store, layer);
    case 'form-cancel':
      return close(store);
    case 'form-enter':
      if (dialogFocus(layer) === 'field') return moveFocus(store, layer, 1);
      return dialogFocus(layer) === 'cancel' ? close(store) : submit(store, layer);
    default:
      return undefined;
  }
}

/** Text goes into the field; at the buttons the arrows go to the other one, and `c` copies. */
export function typeInUpgradeDialog(store: Screen & Asks, edit: LineEdit | undefined, key?: KeyPress): void {
  const layer = upgradeDialog(store);
  if (layer === undefined) return;
  if (dialogFocus(layer) === 'field') {
    if (edit !== undefined) put(store, withEdit(layer, edit));
    return;
  }
  if (key?.name === 'left' || key?.name === 'right') return moveFocus(store, layer, key.name === 'left' ? -1 : 1);
  if (key?.text === 'c' && layer.command !== undefined) {
    store.request({ kind: 'copy', label: 'command', text: layer.command });
  }
}

function withEdit(layer: UpgradeDialogLayer, edit: LineEdit): UpgradeDialogLayer {
  const fields = layer.fields.map((field, index) =>
    index === layer.focus ? { ...field, line: editLine(field.line, edit) } : field,
  );
  return { ...layer, fields, problem: undefined };
}

function moveFocus(store: Screen, layer: UpgradeDialogLayer, by: 1 | -1): void {
  const places = layer.fields.length + 2;
  put(store, { ...layer, focus: (layer.focus + by + places) % places });
}

function submit(store: Screen & Says & Asks & Opened & Pick<Known, 'plans' | 'feed'>, layer: UpgradeDialogLayer): void {
  if (!mayChange(store, 'form-submit')) return;
  const texts = layer.fields.map(({ line }) => line.text.trim());
  // The question may have been open for long: what it is about may be over.
  const outcome = wishOutcome(store, layer.wish, texts);
  if (outcome.kind === 'problem') return put(store, { ...layer, problem: outcome.text, focus: 0 });
  close(store);
  if (outcome.kind === 'gone') return store.say(outcome.text, 'problem');
  store.request(outcome.effect);
}

function put(store: Screen, layer: UpgradeDialogLayer): void {
  store.update({ layers: [...store.state.layers.slice(0, -1), layer] });
}

function close(store: Screen): void {
  store.update({ layers: store.state.layers.slice(0, -1) });
}

function upgradeDialog(store: Shown): UpgradeDialogLayer | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'upgrade-dialog' ? layer : undefined;
}
