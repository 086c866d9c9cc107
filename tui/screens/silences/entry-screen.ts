import { targetText, targetTextOfId } from '../../../shared/domain/silence-name.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { silenceEndText, silenceEntry, stateOf } from './table.ts';
import { run } from '../../text/theme.ts';
import type { Page, PagePorts } from '../page.tsx';
import { textPage } from '../text-page.ts';
import type { SilenceEntryLayer } from '../../state/layers/loaded.ts';

/** Returns the screen of one silence. */
export function silenceEntryScreen(store: PagePorts, layer: SilenceEntryLayer): Page {
  const { id } = layer;
  const row = silenceEntry(store, id);
  const name = row === undefined ? targetTextOfId(id) : targetText(row.entry);
  const breadcrumb = [run(' silences › ', 'faint'), run(safeLine(name), 'strong')];
  return textPage(store, layer, { head: [breadcrumb, [run(` ${stateText(store, id)}`)]] });
}

function stateText(store: PagePorts, id: string): string {
  const row = silenceEntry(store, id);
  if (row === undefined) return 'gone';
  const { nowMs } = store;
  const state = stateOf(row, nowMs);
  const text = silenceEndText(row, nowMs);
  return state === 'active' || state === 'expiring'
    ? `${state}, ${text === 'never' ? 'never ends' : `ends ${text}`}`
    : `${state}, ${text}`;
}
