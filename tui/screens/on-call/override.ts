import type { ListedSchedule } from '../../../shared/schemas/on-call.ts';
import type { Screen } from '../../state/ports.ts';
import { EMPTY_LINE, lineOf } from '../../text/line-editor.ts';
import { openFieldsDialog } from '../fields-form.ts';

/** Opens the dialog for a new override of a schedule. */
export function askNewOverride(store: Screen, { name }: Pick<ListedSchedule, 'name'>): void {
  openFieldsDialog(store, {
    title: `Override ${name}`,
    lines: ['The person is on call in place of all layers of the schedule.', 'Times: fri 18:00, 22:00, 2h'],
    fields: [
      { label: 'Person', line: EMPTY_LINE },
      { label: 'From', line: lineOf('now') },
      { label: 'Until', line: EMPTY_LINE },
      { label: 'Note', line: EMPTY_LINE },
    ],
    button: 'Create override',
    wish: { kind: 'override', schedule: name },
  });
}
