import { safeLine } from '../../shared/domain/terminal-text.ts';
import { MESSAGE_TONES } from './footer.tsx';
import { spread } from '../text/runs.ts';
import { searchRuns } from '../form/search-line.ts';
import { countText } from '../words/count-text.ts';
import { paneMatchText, type TextPane } from './text-pane.ts';
import { run, type Run } from '../text/theme.ts';
import type { Shown } from '../state/ports.ts';

/**
 * The line under a text: what is searched for, what was said last, or where in the text one is.
 *
 * @param right shown beside it unless something is searched for
 */
export function textStatus(
  { state: { message, size } }: Shown,
  text: TextPane | undefined,
  right: readonly Run[] = [],
): readonly Run[] {
  if (text?.search.isOpen === true) return searchRuns(text.search, paneMatchText(text), size.columns);
  if (message !== undefined) {
    return spread([run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])], right, size.columns);
  }
  if (text === undefined) return spread([], right, size.columns);
  if (text.search.line.text !== '') return searchRuns(text.search, paneMatchText(text), size.columns);
  const place = `line ${countText(text.top + 1)}/${countText(text.lines.length)}`;
  return spread([run(` ${place}`, 'faint')], right, size.columns);
}
