import type { ReactElement } from 'react';
import { EventList } from '../components/event-list.tsx';
import { EventPane } from '../components/event-pane.tsx';
import { FiguresLine, Hints, StatusLine } from '../components/footer.tsx';
import { isStale, ShortHeader, TallHeader } from '../components/header.tsx';
import { Row } from '../components/row.tsx';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { ConsoleStore } from '../store/console-store.ts';
import { eventsLayout } from '../store/screen-layout.ts';
import { run, type Theme } from '../theme.ts';
import { headerProps, hintsProps } from './chrome-props.ts';

export function EventsScreen({ theme, store }: { readonly theme: Theme; readonly store: ConsoleStore }): ReactElement {
  const { state, events, feed, nowMs } = store;
  const { columns } = state.size;
  const layout = eventsLayout(state);
  const { order } = events;
  const Header = layout.tall ? TallHeader : ShortHeader;
  const status = {
    theme,
    columns,
    state,
    shown: order.length,
    total: events.size,
    orderPaused: events.frozen && feed.everLive,
    compact: !layout.tall,
    stale: isStale(feed),
  };
  const current = order.at(state.cursor.index);
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <EventList
        theme={theme}
        columns={columns}
        rows={layout.list}
        window={order.slice(state.cursor.top, state.cursor.top + layout.list)}
        cursorKey={state.cursor.key}
        marks={state.marks}
        silenced={store.silenced}
        nowMs={nowMs}
        stale={isStale(feed)}
        empty={emptyText(store)}
      />
      {layout.figures > 0 && <FiguresLine {...status} />}
      {layout.pane > 0 && (
        <EventPane
          theme={theme}
          columns={columns}
          rows={layout.pane}
          record={current}
          peek={state.peek}
          silences={current?.row.silenced_by.map((id) => store.silenced.get(id)).filter(isKnown) ?? []}
          nowMs={nowMs}
        />
      )}
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <StatusLine {...status} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function isKnown(entry: SilencedRow | undefined): entry is SilencedRow {
  return entry !== undefined;
}

/** Why there are no rows. */
function emptyText({ state, events, feed, options, nowMs }: ConsoleStore): readonly string[] {
  if (!feed.everLive) {
    const { connection } = feed;
    const why = connection.kind === 'waiting' ? ['', connection.reason] : [];
    const retry =
      connection.kind === 'waiting'
        ? `next attempt in ${String(Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1000)))} s; R tries now, q quits`
        : 'q quits';
    return [`connecting to ${options.backend}`, ...why, '', retry];
  }
  if (state.filter.text !== '' && events.size > 0) {
    return ['No event matches the filter.', '', 'Esc clears it.'];
  }
  if (feed.stats?.clients === 0) {
    return ['No events, and no client yet.', '', `Start one: mon-agent start --backend ${options.backend}`];
  }
  return ['No events: everything that reports is OK.'];
}
