import type { LineEditor } from '../text/line-editor.ts';
import { run, type Line, type Run } from '../text/theme.ts';
import { cutCells } from '../text/wrap-cells.ts';
import { fieldRuns } from './text-field.ts';

/** A field of a dialog with its label, as it is drawn. */
export interface FieldRow {
  readonly label: string;
  /** The letter of the label that is highlighted, because it goes to the field together with Alt; default: none. */
  readonly mnemonic?: string;
  /** True if the label is drawn with the focus. */
  readonly isFocused: boolean;
  /**
   * True if the input control is drawn with the focus. Default: the value of `isFocused`. The two values differ only if
   * two fields share a label.
   */
  readonly isControlFocused?: boolean;
  readonly control: FieldControl;
}

type FieldControl =
  /** Options, one below the other; `chosen` is the index of the chosen option. */
  | { readonly kind: 'options'; readonly texts: readonly string[]; readonly chosen: number }
  /** Presets side by side, in two rows if they do not fit in one. `typed` is a text field beside them. */
  | {
      readonly kind: 'presets';
      readonly names: readonly string[];
      readonly chosen: number;
      readonly typed?: TypedText & { readonly isControlFocused: boolean };
    }
  | { readonly kind: 'tick'; readonly isOn: boolean; readonly text: string }
  | ({ readonly kind: 'line' } & TypedText);

/** The content of a text field, as it is drawn. */
interface TypedText {
  readonly line: LineEditor;
  /** Width of the text field in cells; default: as wide as possible. */
  readonly cells?: number;
  readonly hint?: string;
}

/** Width of the labels of fields in a dialog, in cells. */
export const LABEL_CELLS = 10;

/** Returns the lines of the fields, one field below the other, in `width` cells. */
export function fieldRows(fields: readonly FieldRow[], width: number): readonly Line[] {
  return fields.flatMap(({ label, mnemonic, isFocused, isControlFocused = isFocused, control }) =>
    controlRows(control, isControlFocused, width - LABEL_CELLS).map((row, index) =>
      (index === 0 ? labelRuns(label, isFocused, mnemonic) : [fieldLabel('')]).concat(row),
    ),
  );
}

/** Returns the label of a field, with its letter highlighted. */
export function labelRuns(text: string, isFocused: boolean, letter: string | undefined): Line {
  const label = fieldLabel(text, isFocused);
  const at = letter === undefined ? -1 : label.text.toLowerCase().indexOf(letter);
  if (at === -1) return [label];
  const { text: all, tone } = label;
  return [run(all.slice(0, at), tone), run(all.slice(at, at + 1), 'accent'), run(all.slice(at + 1), tone)];
}

export function fieldLabel(text: string, isFocused = false): Run {
  return run(`${isFocused ? '>' : ' '}${text}`.padEnd(LABEL_CELLS), isFocused ? 'strong' : 'faint');
}

function controlRows(control: FieldControl, hasFocus: boolean, width: number): readonly Line[] {
  const chosenTone = hasFocus ? 'cursor' : 'strong';
  switch (control.kind) {
    case 'options':
      return control.texts.map((text, index) => {
        const isChosen = index === control.chosen;
        return [run(cutCells(`${isChosen ? '(•)' : '( )'} ${text}`, width), isChosen ? chosenTone : 'plain')];
      });
    case 'presets': {
      const { names, chosen, typed } = control;
      const runs = names.map((name, index) => (index === chosen ? run(`[${name}]`, chosenTone) : run(` ${name} `)));
      if (typed !== undefined) return [[...runs, run('  '), ...typedRuns(typed, typed.isControlFocused, width)]];
      const half = runs.length >> 1;
      const fits = runs.reduce((sum, { text }) => sum + text.length, 0) <= width;
      return fits ? [runs] : [runs.slice(0, half), runs.slice(half)];
    }
    case 'tick':
      return [
        [
          run(`[${control.isOn ? 'x' : ' '}]`, hasFocus ? 'cursor' : 'plain'),
          run(` ${control.text}  `),
          run('(Space)', 'faint'),
        ],
      ];
    case 'line':
      return [typedRuns(control, hasFocus, width)];
  }
}

function typedRuns({ line, cells, hint }: TypedText, hasFocus: boolean, width: number): Line {
  return [...fieldRuns(line, cells ?? width, hasFocus), ...(hint === undefined ? [] : [run(` ${hint}`, 'faint')])];
}
