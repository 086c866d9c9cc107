import type { ActionPorts } from './action-ports.ts';
import type { KeyPress } from '../state/keys.ts';
import type { FormStep } from '../form/form.ts';

/** The behavior of a kind of dialog with fields. The keys have the same meaning in all these dialogs. */
export interface FormDialog<Layer> {
  /** Returns the id of the field that has the focus. */
  readonly field: (layer: Layer) => string;
  /** Returns true if the field that has the focus is a text field. */
  readonly isText: (layer: Layer) => boolean;
  readonly step: (layer: Layer, step: FormStep) => Layer;
  /** Submits the dialog, or shows which problem must be fixed first. */
  readonly submit: (store: ActionPorts, layer: Layer) => void;
  /** Returns true if the field that has the focus is the last text field; Enter submits the dialog there. */
  readonly isLastText: (layer: Layer) => boolean;
  /** Runs after the dialog was closed without a submission. */
  readonly onCancel?: (store: ActionPorts, layer: Layer) => void;
  /** Handles keys that only this kind of dialog has. It is called while no text field has the focus. */
  readonly press?: (store: ActionPorts, layer: Layer, key: KeyPress) => void;
}
