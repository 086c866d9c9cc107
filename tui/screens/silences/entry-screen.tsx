import type { ReactElement } from 'react';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { Hints } from '../footer.tsx';
import { ShortHeader } from '../header.tsx';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { silenceEntryRows } from './entry-actions.ts';
import { silenceEntryLines } from './entry-lines.ts';
import { leftText, silenceEntry, stateOf } from './table.ts';
import { run, type Run, type Theme } from '../../text/theme.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import type { Opened, Silencing, Shown } from '../../state/ports.ts';
import type { Known, Places } from '../../model/known.ts';
import type { SilenceEntryLayer } from '../../state/layers/loaded.ts';

/** One silence. */
export function SilenceEntryScreen({
  theme,
  store,
  layer,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Pick<Silencing, 'silenceMatches'> & Known & Places;
  readonly layer: SilenceEntryLayer;
}): ReactElement {
  const { columns, rows } = store.state.size;
  const body = silenceEntryLines(store, layer);
  const shownRows = silenceEntryRows(rows);
  const top = Math.min(layer.top, Math.max(0, body.length - shownRows));
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Row theme={theme} runs={[run(' silences › ', 'faint'), run(safeLine(layer.id), 'strong')]} />
      <Row theme={theme} runs={[run(` ${stateText(store, layer.id)}`)]} />
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <Rows theme={theme} lines={body.slice(top, top + shownRows)} height={shownRows} />
      <Row theme={theme} runs={messageRuns(store, top, body.length)} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function stateText(store: Opened & Known, id: string): string {
  const row = silenceEntry(store, id);
  if (row === undefined) return 'gone';
  const { nowMs } = store;
  const state = stateOf(row, nowMs);
  const isTimed = row.entry.expire_at !== null && (state === 'active' || state === 'expiring');
  return `${state}, ${leftText(row, nowMs)}${isTimed ? ' left' : ''}`;
}

function messageRuns(store: Shown, top: number, lines: number): readonly Run[] {
  const { message } = store.state;
  if (message === undefined) return [run(` line ${String(top + 1)}/${String(lines)}`, 'faint')];
  return [run(` ${safeLine(message.text)}`, message.tone === 'problem' ? 'critical' : 'strong')];
}
