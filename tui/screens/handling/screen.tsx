import type { ReactElement } from 'react';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { clockText } from '../connection/connection-text.ts';
import { Hints } from '../footer.tsx';
import { ShortHeader } from '../header.tsx';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { spread } from '../../text/runs.ts';
import { loadedBodyRows } from '../../state/screen-layout.ts';
import { run, type Line, type Run, type Theme } from '../../text/theme.ts';
import { paneLines, textPaneOf, type TextPane } from '../text-pane.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import { textStatus } from '../text-status.ts';
import { targetOf } from '../../model/target.ts';
import type { Opened, Remembers, Shown } from '../../state/ports.ts';
import type { Known, Places } from '../../model/known.ts';
import type { DeadLetterLayer, HandlingLayer } from '../../state/layers/loaded.ts';

/** A dead letter, or what becomes of an event at its handlers: text that is read from top to bottom. */
export function LoadedScreen({
  theme,
  store,
  layer,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Remembers & Known & Places;
  readonly layer: DeadLetterLayer | HandlingLayer;
}): ReactElement {
  const { columns, rows } = store.state.size;
  const height = loadedBodyRows(rows);
  const text = layer.load.data === undefined ? undefined : textPaneOf(store, layer);
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Row theme={theme} runs={spread(placeRuns(layer), freshness(layer), columns)} />
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <Rows theme={theme} lines={text === undefined ? loadingLines(layer) : paneLines(text)} height={height} />
      <Row theme={theme} runs={statusRuns(store, layer, text)} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function loadingLines({ load: { failure } }: DeadLetterLayer | HandlingLayer): readonly Line[] {
  if (failure === undefined) return [[run(' loading …', 'faint')]];
  return [[run(` ${safeLine(failure)}`, 'critical')], [run(' It is tried again every few seconds; Esc goes back.')]];
}

function placeRuns({ kind, id }: DeadLetterLayer | HandlingLayer): readonly Run[] {
  if (kind === 'dead-letter') return [run(' dead letters › ', 'faint'), run(safeLine(id), 'strong')];
  const { client, check } = targetOf(id);
  return [run(' handlers › ', 'faint'), run(safeLine(`${client} / ${check}`), 'strong')];
}

/** How old it is. */
function freshness({ load: { loadedAtMs, failure } }: DeadLetterLayer | HandlingLayer): readonly Run[] {
  if (loadedAtMs === undefined) return [];
  return [run(`as of ${clockText(loadedAtMs)} `, failure === undefined ? 'faint' : 'warning')];
}

function statusRuns(
  store: Shown,
  { load: { data, failure } }: DeadLetterLayer | HandlingLayer,
  text: TextPane | undefined,
): readonly Run[] {
  const isFailed = data !== undefined && failure !== undefined && store.state.message === undefined;
  if (isFailed && text?.search.line.text === '') return [run(` not loaded again: ${safeLine(failure)}`, 'warning')];
  return textStatus(store, text);
}
