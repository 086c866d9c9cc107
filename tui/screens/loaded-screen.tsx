import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { clockText } from '../components/connection-text.ts';
import { Hints, MESSAGE_TONES } from '../components/footer.tsx';
import { ShortHeader } from '../components/header.tsx';
import { Row } from '../components/row.tsx';
import { Rows } from '../components/rows.tsx';
import { spread } from '../components/runs.ts';
import { countText } from '../count-text.ts';
import type { ConsoleStore } from '../store/console-store.ts';
import { deadLetterLines } from '../store/dead-letter-lines.ts';
import { handlingLines } from '../store/handling-lines.ts';
import type { DeadLetterLayer, HandlingLayer } from '../store/loaded-layer.ts';
import { loadedBodyRows } from '../store/screen-layout.ts';
import { targetOf } from '../store/silence-form.ts';
import { run, type Run, type Theme } from '../theme.ts';
import { headerProps, hintsProps } from './chrome-props.ts';

/** A dead letter, or what becomes of an event at its handlers: text that is read from top to bottom. */
export function LoadedScreen({
  theme,
  store,
  layer,
}: {
  readonly theme: Theme;
  readonly store: ConsoleStore;
  readonly layer: DeadLetterLayer | HandlingLayer;
}): ReactElement {
  const { columns, rows } = store.state.size;
  const height = loadedBodyRows(rows);
  const body = layer.load.data === undefined ? loadingLines(layer) : linesOf(store, layer);
  const top = Math.min(layer.top, Math.max(0, body.length - height));
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Row theme={theme} runs={spread(placeRuns(layer), freshness(layer), columns)} />
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <Rows theme={theme} lines={body.slice(top, top + height)} height={height} />
      <Row theme={theme} runs={messageRuns(store, layer, { top, lines: body.length })} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function linesOf(store: ConsoleStore, layer: DeadLetterLayer | HandlingLayer): readonly (readonly Run[])[] {
  return layer.kind === 'handling' ? handlingLines(store, layer) : deadLetterLines(store, layer);
}

function loadingLines({ load: { failure } }: DeadLetterLayer | HandlingLayer): readonly (readonly Run[])[] {
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

function messageRuns(
  { state: { message } }: ConsoleStore,
  { load: { data, failure } }: DeadLetterLayer | HandlingLayer,
  { top, lines }: { readonly top: number; readonly lines: number },
): readonly Run[] {
  if (message !== undefined) return [run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])];
  if (data !== undefined && failure !== undefined) return [run(` not loaded again: ${safeLine(failure)}`, 'warning')];
  return [run(` line ${countText(top + 1)}/${countText(lines)}`, 'faint')];
}
