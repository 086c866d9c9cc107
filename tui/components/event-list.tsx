import type { ReactElement } from 'react';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { EventRecord } from '../store/event-record.ts';
import type { FeedStatus } from '../store/feed-status.ts';
import { splitName } from '../store/backend-names.ts';
import { isGone } from '../store/merged-feed.ts';
import type { SortState } from '../store/list-state.ts';
import { run, type Theme } from '../theme.ts';
import { eventColumns, eventRuns, headRuns } from './event-columns.ts';
import { Rows } from './rows.tsx';

export interface EventListProps {
  readonly theme: Theme;
  readonly columns: number;
  /** Rows below the head. */
  readonly rows: number;
  /** The events in the window only. */
  readonly window: readonly EventRecord[];
  readonly cursorKey: string | undefined;
  readonly marks: ReadonlySet<string>;
  readonly sort: SortState;
  /** Ids of the columns that are not to be shown. */
  readonly hidden: ReadonlySet<string>;
  readonly silenced: ReadonlyMap<string, SilencedRow>;
  readonly nowMs: number;
  readonly stale: boolean;
  /** Of a merged list, by context. */
  readonly backends?: ReadonlyMap<string, FeedStatus> | undefined;
  /** Shown instead of rows when there are none. */
  readonly empty: readonly string[];
}

export function EventList(props: EventListProps): ReactElement {
  const { theme, window, empty } = props;
  const layout = eventColumns(props.columns, props.hidden, props.backends?.keys());
  const body =
    window.length > 0
      ? window.map((record) =>
          eventRuns(record, {
            layout,
            nowMs: props.nowMs,
            isCursor: record.key === props.cursorKey,
            isMarked: props.marks.has(record.key),
            stale: props.stale || isBackendGone(props.backends, record),
            silence: firstOf(props.silenced, record.row.silenced_by),
          }),
        )
      : [[], ...empty.map((line) => [run(`   ${line}`)])];
  return <Rows theme={theme} lines={[headRuns(layout, props.sort, props.stale), ...body]} height={props.rows + 1} />;
}

function firstOf(silenced: ReadonlyMap<string, SilencedRow>, ids: readonly string[]): SilencedRow | undefined {
  for (const id of ids) {
    const entry = silenced.get(id);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function isBackendGone(backends: EventListProps['backends'], { row }: EventRecord): boolean {
  return backends !== undefined && isGone(backends.get(splitName(row.client).context ?? ''));
}
