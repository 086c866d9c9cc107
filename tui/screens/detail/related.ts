import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { LiveData } from '../../model/live-data.ts';
import { shownRelations, type RankedEvent, type Relation } from '../../model/related-events.ts';
import type { EventTarget } from '../../model/target.ts';
import { spreadRuns } from '../../text/runs.ts';
import { run, SEVERITY_STYLES, type Line } from '../../text/theme.ts';
import { cutCells } from '../../text/wrap-cells.ts';
import { countOf } from '../../words/changes.ts';

/** The event whose related events are listed. */
interface RelationSubject {
  readonly target: EventTarget;
  readonly row: EventRow;
}

/** Maximum number of events that the screen of an event lists for each relation. */
export const RELATED_MAX = 3;

/** A row of the list of related events: a relation with the number of its events, or one of its events. */
export type RelatedRow = { readonly key: string; readonly relation: Relation } & (
  { readonly kind: 'relation' } | { readonly kind: 'event'; readonly record: RankedEvent }
);

/** Returns the rows of the related events: each relation, followed by its worst events. */
export function relatedRows(
  store: Pick<LiveData, 'events' | 'clients' | 'nowMs'>,
  { target, row }: RelationSubject,
  eventsMax: number,
): readonly RelatedRow[] {
  const rows: RelatedRow[] = [];
  for (const relation of shownRelations(store, target.key, row) ?? []) {
    const head = `${relation.kind} ${relation.which}`;
    rows.push({ kind: 'relation', key: head, relation });
    for (const record of relation.first.slice(0, eventsMax)) {
      rows.push({ kind: 'event', key: `${head} ${record.key}`, relation, record });
    }
  }
  return rows;
}

/**
 * Returns the lines of the related events. Each row takes one line.
 *
 * @param options `cursor`: the key of the row under the cursor; `undefined` for none
 */
export function relatedLines(
  store: Pick<LiveData, 'events' | 'clients' | 'nowMs'>,
  subject: RelationSubject,
  {
    width,
    cursor,
    eventsMax,
  }: { readonly width: number; readonly cursor: string | undefined; readonly eventsMax: number },
): readonly Line[] {
  const rows = relatedRows(store, subject, eventsMax);
  if (rows.length === 0) {
    const isSearching = shownRelations(store, subject.target.key, subject.row) === undefined;
    return [[run(isSearching ? 'searching …' : 'no related event', 'faint')]];
  }
  return rows.map((row) => {
    const line = row.kind === 'relation' ? relationLine(row.relation, width) : eventLine(row.record, subject, width);
    return row.key === cursor ? [run(line.map(({ text }) => text).join(''), 'cursor')] : line;
  });
}

function relationLine({ which, count }: Relation, width: number): Line {
  const [number, ...nouns] = countOf(count, 'event').split(' ');
  const text = cutCells(safeLine(` ${nouns.join(' ')} ${which}`), Math.max(0, width - (number ?? '').length));
  return spreadRuns([run(number ?? '', 'strong'), run(text)], [], width);
}

/** Returns the line of a related event: its status, the names that differ from those of the shown event, its output. */
function eventLine({ row }: RankedEvent, { row: own }: RelationSubject, width: number): Line {
  const { symbol, word, tone } = SEVERITY_STYLES[severityOf(row.status)];
  const names = [row.client === own.client ? undefined : row.client, row.check === own.check ? undefined : row.check];
  const name = names.filter((part) => part !== undefined).join(' / ');
  const status = `  ${symbol} ${word}`.padEnd(9);
  const text = cutCells(safeLine(`${name}  ${row.output}`), Math.max(0, width - status.length));
  return spreadRuns([run(status, tone), run(text)], [], width);
}
