import { safeLine } from '../../shared/domain/terminal-text.ts';
import { searchRuns } from '../form/search-line.ts';
import type { Layer } from '../state/layers/layer.ts';
import type { ScreenView } from '../state/ports.ts';
import { spreadRuns } from '../text/runs.ts';
import { run, type Line } from '../text/theme.ts';
import { countText } from '../words/count-text.ts';
import { MESSAGE_TONES } from './footer.tsx';
import { ruleLine, type Page } from './page.tsx';
import { paneLines, paneMatchText, textPaneOf, type TextData, type TextPane } from './text-pane.ts';

/**
 * Returns a page of text that scrolls.
 *
 * @param options `head`: lines above the rule; `right`: text at the right end of the bottom line, unless a search is
 *   active; `instead`: lines that are shown in place of the text until it is loaded
 */
export function textPage(
  store: TextData,
  layer: Layer,
  { head, right, instead }: { head: readonly Line[]; right?: Line; instead?: readonly Line[] },
): Page {
  const text = instead === undefined ? textPaneOf(store, layer) : undefined;
  const lines = text === undefined ? (instead ?? []) : paneLines(text);
  return { header: 'short', top: [...head, ruleLine(store), ...lines], bottom: [textStatus(store, text, right)] };
}

/**
 * Returns the line under a text: the search, the last message, or the scroll position.
 *
 * @param right text at the right end of the line, unless a search is active
 */
export function textStatus(
  { state: { message, size } }: ScreenView,
  text: TextPane | undefined,
  right: Line = [],
): Line {
  if (text?.search.isOpen === true) return searchRuns(text.search, paneMatchText(text), size.columns);
  if (message !== undefined) {
    return spreadRuns([run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])], right, size.columns);
  }
  if (text === undefined) return spreadRuns([], right, size.columns);
  if (text.search.line.text !== '') return searchRuns(text.search, paneMatchText(text), size.columns);
  const position = `line ${countText(text.top + 1)}/${countText(text.lines.length)}`;
  return spreadRuns([run(` ${position}`, 'faint')], right, size.columns);
}
