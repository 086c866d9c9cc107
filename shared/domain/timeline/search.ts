import { TIMELINE_KINDS, type TimelineRow } from '../../schemas/timeline.ts';
import { choiceField, countField, flagField, statusField, textField, timeField } from '../search-fields.ts';
import { searchLanguage } from '../search-language.ts';

/**
 * The search language of the timeline. It is not in the module of the other search languages, because that one must not
 * load schemas: it would delay the start of the console.
 */
export const TIMELINE_SEARCH = searchLanguage<TimelineRow>(
  [
    choiceField<TimelineRow>('kind', TIMELINE_KINDS, ({ kind }) => kind),
    textField('client', ({ client }) => client ?? ''),
    textField('check', ({ check }) => check ?? ''),
    statusField(({ status }) => status),
    textField('output', ({ output }) => output ?? ''),
    countField('occurrences', ({ occurrences }) => occurrences),
    flagField('flapping', ({ flapping }) => flapping === true),
    flagField('silenced', ({ silenced_by: ids = [] }) => ids.length > 0),
    textField('by', ({ by }) => by ?? ''),
    textField('silence', ({ silence }) => silence ?? ''),
    textField('escalation', ({ escalation }) => escalation?.handler ?? ''),
    textField('reason', ({ reason }) => reason ?? ''),
    timeField('age', 'since it happened', ({ at }) => at / 1000),
    textField('namespace', ({ namespace }) => namespace ?? ''),
  ],
  ({ client, check, output, by, silence, reason }) =>
    [client, check, output, by, silence, reason].map((text) => text ?? ''),
);
