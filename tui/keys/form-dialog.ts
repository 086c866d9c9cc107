import type { ActionPorts } from './action-ports.ts';
import type { KeyPress } from '../state/keys.ts';
import type { FormStep } from '../form/form.ts';

/** A dialog with fields: its keys mean the same in all of them. */
export interface FormDialog<Layer> {
  /** Id of the field that keys go to. */
  readonly field: (layer: Layer) => string;
  /** Whether text is typed into that field. */
  readonly isText: (layer: Layer) => boolean;
  readonly step: (layer: Layer, step: FormStep) => Layer;
  /** Sends it, or shows what must be mended first. */
  readonly submit: (store: ActionPorts, layer: Layer) => void;
  /** Keys of its own, where no text is typed. */
  readonly press?: (store: ActionPorts, layer: Layer, key: KeyPress) => void;
}
