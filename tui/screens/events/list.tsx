import type { ReactElement } from 'react';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { EventRecord } from '../../model/event-record.ts';
import type { FeedStatus } from '../../model/feed-status.ts';
import { splitName } from '../../model/backend-names.ts';
import { silenceOf } from '../../list/list-place.ts';
import { isGone } from '../../model/merged-feed.ts';
import { run, type Theme } from '../../text/theme.ts';
import { eventRuns, headRuns, type EventColumns } from './columns.ts';
import { Rows } from '../../text/rows.tsx';
import type { SortState } from '../../model/list-order.ts';

export interface EventListProps {
  readonly theme: Theme;
  readonly layout: EventColumns;
  /** Rows below the head. */
  readonly rows: number;
  /** The events in the window only. */
  readonly window: readonly EventRecord[];
  readonly cursorKey: string | undefined;
  readonly marks: ReadonlySet<string>;
  readonly sort: SortState;
  readonly silenced: ReadonlyMap<string, SilencedRow>;
  readonly nowMs: number;
  readonly stale: boolean;
  /** Of a merged list, by context. */
  readonly backends?: ReadonlyMap<string, FeedStatus> | undefined;
  /** Shown instead of rows when there are none. */
  readonly empty: readonly string[];
}

export function EventList(props: EventListProps): ReactElement {
  const { theme, window, empty, layout } = props;
  const body =
    window.length > 0
      ? window.map((record) =>
          eventRuns(record, {
            layout,
            nowMs: props.nowMs,
            isCursor: record.key === props.cursorKey,
            isMarked: props.marks.has(record.key),
            stale: props.stale || isBackendGone(props.backends, record),
            silence: silenceOf(props.silenced, record),
          }),
        )
      : [[], ...empty.map((line) => [run(`   ${line}`)])];
  return <Rows theme={theme} lines={[headRuns(layout, props.sort, props.stale), ...body]} height={props.rows + 1} />;
}

function isBackendGone(backends: EventListProps['backends'], { row }: EventRecord): boolean {
  return backends !== undefined && isGone(backends.get(splitName(row.client).context ?? ''));
}
