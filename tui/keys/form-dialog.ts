import type { ActionPorts } from './action-ports.ts';
import type { KeyPress } from '../state/keys.ts';
import type { FormStep } from '../form/form.ts';

/** A dialog with fields; its keys have the same meaning in all such dialogs. */
export interface FormDialog<Layer> {
  /** Returns the id of the field that has the focus. */
  readonly field: (layer: Layer) => string;
  /** Returns true if that field is a text field. */
  readonly isText: (layer: Layer) => boolean;
  readonly step: (layer: Layer, step: FormStep) => Layer;
  /** Submits the dialog, or shows what must be fixed first. */
  readonly submit: (store: ActionPorts, layer: Layer) => void;
  /** Returns true if that field is the last text field, where Enter submits. */
  readonly isLastText: (layer: Layer) => boolean;
  /** Runs after the dialog was closed without a submission. */
  readonly canceled?: (store: ActionPorts, layer: Layer) => void;
  /** Handles its own keys if no text field has the focus. */
  readonly press?: (store: ActionPorts, layer: Layer, key: KeyPress) => void;
}
