import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { clockText } from '../components/connection-text.ts';
import { Hints } from '../components/footer.tsx';
import { isStale, ShortHeader } from '../components/header.tsx';
import { Row } from '../components/row.tsx';
import { Rows } from '../components/rows.tsx';
import { spread } from '../components/runs.ts';
import { placeColumns, tableHead, tableRuns } from '../components/table-columns.ts';
import { countText } from '../count-text.ts';
import type { ConsoleStore } from '../store/console-store.ts';
import { inspectBody, type InspectBody } from '../store/inspect-body.ts';
import { CHECK_RESULTS_MAX, type InspectLayer, type SubjectKind } from '../store/inspect-layer.ts';
import { run, type Run, type Theme } from '../theme.ts';
import { headerProps, hintsProps } from './chrome-props.ts';

const PLACES: Readonly<Record<SubjectKind, string>> = {
  client: 'clients',
  check: 'checks',
  aggregate: 'aggregates',
  result: 'results',
};

/** One thing with everything that is known of it. */
export function InspectScreen({
  theme,
  store,
  layer,
}: {
  readonly theme: Theme;
  readonly store: ConsoleStore;
  readonly layer: InspectLayer;
}): ReactElement {
  const { columns } = store.state.size;
  const body = inspectBody(store, layer);
  const { kind, name } = layer.subject;
  const place = [run(` ${PLACES[kind]} › `, 'faint'), run(safeLine(name), 'strong')];
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Row theme={theme} runs={spread(place, freshness(layer), columns)} />
      <Rows theme={theme} lines={body.head} />
      <Row theme={theme} runs={[run(ruleText(layer, body).padEnd(columns, '─'), 'faint')]} />
      <Rows
        theme={theme}
        lines={bodyLines(store, layer, body)}
        height={body.height + (body.table === undefined ? 0 : 1)}
      />
      <Row theme={theme} runs={spread(messageRuns(store, layer), placeRuns(layer, body), columns)} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function ruleText({ load: { data }, raw }: InspectLayer, { table, rows }: InspectBody): string {
  if (data === undefined) return '';
  if (raw) return '─ raw json (y hides it) ';
  if (table === undefined) return '─ output ';
  const isCut = data.kind === 'check' && rows.length >= CHECK_RESULTS_MAX;
  const count = isCut ? `the worst ${countText(rows.length)}` : countText(rows.length);
  return `─ ${count} ${table.nouns[rows.length === 1 ? 0 : 1]} `;
}

function bodyLines(store: ConsoleStore, layer: InspectLayer, body: InspectBody): readonly (readonly Run[])[] {
  const { load, cursor, top } = layer;
  const { table, rows, text, height } = body;
  if (load.data === undefined) {
    if (load.failure === undefined) return [[run(' loading …', 'faint')]];
    return [
      [run(` ${safeLine(load.failure)}`, 'critical')],
      [run(' It is tried again every few seconds; Esc goes back.')],
    ];
  }
  if (table === undefined) {
    const first = Math.min(top, Math.max(0, text.length - height));
    return text.slice(first, first + height);
  }
  const { columns } = store.state.size;
  const placed = placeColumns(table, new Set(), columns);
  const about = { placed, columns, nowMs: store.nowMs, stale: isStale(store.feed), isMarked: false };
  const shown = rows.slice(cursor.top, cursor.top + height).map((row) => {
    const entry = { key: row.key, row, gone: false };
    return tableRuns(entry, { ...about, isCursor: row.key === cursor.key });
  });
  return [tableHead(placed, { column: '', reversed: false }, columns), ...shown];
}

/** How old it is. */
function freshness({ load: { loadedAtMs, failure } }: InspectLayer): readonly Run[] {
  if (loadedAtMs === undefined) return [];
  return [run(`as of ${clockText(loadedAtMs)} `, failure === undefined ? 'faint' : 'warning')];
}

function messageRuns({ state: { message } }: ConsoleStore, { load: { data, failure } }: InspectLayer): readonly Run[] {
  if (message !== undefined) {
    return [run(` ${safeLine(message.text)}`, message.tone === 'problem' ? 'critical' : 'strong')];
  }
  return data === undefined || failure === undefined ? [] : [run(` not loaded again: ${safeLine(failure)}`, 'warning')];
}

function placeRuns({ cursor, top }: InspectLayer, { table, rows, text }: InspectBody): readonly Run[] {
  if (table === undefined) {
    return text.length === 0 ? [] : [run(`line ${countText(top + 1)}/${countText(text.length)} `)];
  }
  return rows.length === 0 ? [] : [run(`row ${countText(cursor.index + 1)}/${countText(rows.length)} `)];
}
