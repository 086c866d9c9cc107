import type { ReactElement } from 'react';
import { keyOf } from '../../actions/keys.ts';
import { EventList } from './list.tsx';
import { EventPane } from './pane.tsx';
import { FiguresLine, Hints, StatusLine, type StatusLineProps } from '../footer.tsx';
import { isStale, ShortHeader, TallHeader } from '../header.tsx';
import { Row } from '../../text/row.tsx';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { eventPlace } from '../../list/list-place.ts';
import { eventsLayout, isTallHeader } from '../../state/screen-layout.ts';
import { run, type Theme } from '../../text/theme.ts';
import { eventSortText } from '../../model/event-sort.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import { connectingText } from '../connection/connecting-text.ts';
import type { Opened, Shown } from '../../state/ports.ts';
import type { Known, Places } from '../../model/known.ts';
import type { ListOfView } from '../../list/list-of-view.ts';

export function EventsScreen({
  theme,
  store,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Known & Places & ListOfView;
}): ReactElement {
  const { state, list, events, feed, nowMs } = store;
  const { columns } = state.size;
  const layout = eventsLayout(state);
  const { order } = events;
  const Header = isTallHeader(layout) ? TallHeader : ShortHeader;
  const place = eventPlace(store);
  const status = {
    theme,
    columns,
    state,
    list,
    nouns: ['event', 'events'],
    sort: eventSortText(store.sort),
    shown: order.length,
    total: events.size,
    orderPaused: events.frozen && feed.everLive,
    compact: !layout.tall,
    stale: isStale(feed),
    beside: place,
  } satisfies StatusLineProps;
  const current = order.at(list.cursor.index);
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <EventList
        theme={theme}
        layout={place.layout}
        rows={layout.list}
        window={order.slice(list.cursor.top, list.cursor.top + layout.list)}
        cursorKey={list.cursor.key}
        marks={list.marks}
        sort={store.sort}
        silenced={store.silenced}
        nowMs={nowMs}
        stale={isStale(feed)}
        backends={store.backends}
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
function emptyText(store: Opened & Known & Pick<ListOfView, 'list'>): readonly string[] {
  const { list, events, feed, options } = store;
  if (!feed.everLive) return connectingText(store);
  if (list.filter.text !== '' && events.size > 0) {
    return ['No event matches the filter.', '', `${keyOf('back')} clears it.`];
  }
  if (feed.stats?.clients === 0) {
    return ['No events, and no client yet.', '', `Start one: mon-agent start --backend ${options.backend}`];
  }
  return ['No events: everything that reports is OK.'];
}
