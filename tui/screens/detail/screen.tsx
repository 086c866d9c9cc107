import type { ReactElement } from 'react';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { summaryRuns } from '../events/pane.tsx';
import { Hints } from '../footer.tsx';
import { ShortHeader } from '../header.tsx';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { EventRecord } from '../../model/event-record.ts';
import { detailBodyRows } from '../../state/screen-layout.ts';
import { run, type Run, type Theme } from '../../text/theme.ts';
import { paneLines, textPaneOf } from '../text-pane.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import { textStatus } from '../text-status.ts';
import type { Known, Places } from '../../model/known.ts';
import type { Opened, Remembers, Shown } from '../../state/ports.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';

export function DetailScreen({
  theme,
  store,
  layer,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Remembers & Known & Places;
  readonly layer: DetailLayer;
}): ReactElement {
  const { state, nowMs } = store;
  const { columns, rows } = state.size;
  const text = textPaneOf(store, layer);
  const { client, check } = layer.target;
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Row
        theme={theme}
        runs={[run(' events › ', 'faint'), run(`${safeLine(client)} / ${safeLine(check)}`, 'strong')]}
      />
      <Row theme={theme} runs={[run(' '), ...summaryOf(store, layer)]} />
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <Rows theme={theme} lines={text === undefined ? [] : paneLines(text)} height={detailBodyRows(rows)} />
      <Row theme={theme} runs={textStatus(store, text, freshness(store, layer, nowMs))} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function summaryOf(store: Pick<Known, 'events' | 'nowMs'>, { target, load }: DetailLayer): readonly Run[] {
  const event = load.kind === 'loaded' ? load.event : undefined;
  const live = store.events.get(target.key);
  if (live !== undefined) return summaryRuns(live, event, store.nowMs);
  if (load.kind !== 'loaded' || load.row === undefined) return [run('✓ resolved', 'ok')];
  const gone = new EventRecord(target.key, load.row);
  gone.gone = true;
  return summaryRuns(gone, event, store.nowMs);
}

/** Whether what was loaded is still so. */
function freshness(store: Pick<Known, 'events'>, { target, load }: DetailLayer, nowMs: number): readonly Run[] {
  if (load.kind !== 'loaded') return [];
  if (load.reloading) return [run('loading … ', 'faint')];
  const row = store.events.get(target.key)?.row;
  if (row === undefined) return [run('resolved meanwhile: this is its last state ', 'ok')];
  if (row === load.row) return [];
  return [run(`event updated ${formatDuration(nowMs / 1000 - row.last)} ago: press Enter to reload `, 'warning')];
}
