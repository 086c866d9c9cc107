import type { SilenceForm } from '../state/layers/silence.ts';
import { lineOf } from '../text/line-editor.ts';
import { durationProblem, silenceDurations, typedSeconds } from '../screens/silences/form.ts';
import { putLayer } from '../state/layer-stack.ts';
import { keyContext } from '../keys/key-context.ts';
import { bindingOf, keyOf } from '../state/keys.ts';
import type { Screen } from '../state/ports.ts';
import type { Operand, ActionTrigger } from '../keys/action.ts';

export const SILENCE_OPERAND: Operand = {
  operands: 'DURATION [REASON]',
  help: 'open the silence dialog for the marked rows, or the one at the cursor, with these values filled in',
  run: silenceByOperand,
  complete: () => ['15m', '1h', '2h', '4h', '8h', '24h'],
};

function silenceByOperand(store: Screen, operand: string, perform: ActionTrigger['perform']): string | undefined {
  const [, duration = '', reason = ''] = /^(\S+)\s*(.*)$/su.exec(operand) ?? [];
  const seconds = typedSeconds(duration);
  if (seconds === undefined) return durationProblem(duration);
  if (!bindingOf('silence').in.includes(keyContext(store.state))) {
    return `nothing to silence here: open the events view, or press ${keyOf('silence-new')}`;
  }
  const before = store.state.layers.length;
  perform('silence');
  const layer = store.state.layers.at(-1);
  // If the action `silence` opened no dialog, it has shown a message with the reason.
  if (layer?.kind !== 'silence' || store.state.layers.length === before) return undefined;
  const form = filledForm(layer.form, { seconds, duration, reason });
  putLayer(store, { ...layer, form });
  return undefined;
}

/**
 * Returns the form with these values filled in. If the reason is given, the submit button has the focus, otherwise the
 * field for the reason.
 */
function filledForm(
  form: SilenceForm,
  { seconds, duration, reason }: { readonly seconds: number; readonly duration: string; readonly reason: string },
): SilenceForm {
  const durations = silenceDurations(form);
  const preset = durations.findIndex((choice) => choice.kind === 'span' && choice.seconds === seconds);
  const custom = durations.findIndex(({ kind }) => kind === 'custom');
  return {
    ...form,
    duration: preset === -1 ? custom : preset,
    custom: preset === -1 ? lineOf(duration) : form.custom,
    reason: reason === '' ? form.reason : lineOf(reason),
    field: reason === '' ? 'reason' : 'submit',
  };
}
