import { TALL_ROWS, type ConsoleState, type ScreenSize } from '../../state/console-state.ts';
import { halfWidths } from '../../text/side-by-side.ts';
import { clamp } from '../../state/list-cursor.ts';
import { pageRows, WIDE_COLUMNS } from '../../state/screen-layout.ts';
import type { OverviewBox } from './boxes.ts';
import type { BoxId } from '../../state/overview-position.ts';

/** A box with the number of rows that it has under its title. */
export interface PlacedBox {
  readonly box: OverviewBox;
  readonly rows: number;
}

export interface OverviewLayout {
  readonly tall: boolean;
  /** Number of screen rows between header and footer. */
  readonly height: number;
  /** Width of each column in cells; a rule with a space on both sides separates two columns. */
  readonly widths: readonly number[];
  /** The boxes of each column, from top to bottom. */
  readonly columns: readonly (readonly PlacedBox[])[];
}

const LEFT_BOXES: readonly BoxId[] = ['open', 'critical', 'escalations', 'aggregates', 'clients', 'actions', 'day'];
const RIGHT_BOXES: readonly BoxId[] = ['problems', 'noisiest', 'silences', 'handlers', 'server', 'upgrade', 'rates'];

/** The order of the boxes on a screen with one column. Boxes about problems come first. */
const NARROW_BOXES: readonly BoxId[] = [
  'open',
  'critical',
  'escalations',
  'problems',
  'aggregates',
  'handlers',
  'clients',
  'server',
  'upgrade',
  'silences',
  'noisiest',
  'actions',
  'day',
  'rates',
];

/** Returns the boxes in the order in which Tab visits them: as they are drawn, without boxes that have no content. */
export function boxOrder(
  size: ScreenSize,
  boxes: Readonly<Record<BoxId, OverviewBox>>,
  focused: BoxId,
): readonly BoxId[] {
  const order = isWide(size)
    ? [...orderBoxes(LEFT_BOXES, boxes), ...orderBoxes(RIGHT_BOXES, boxes)]
    : orderBoxes(NARROW_BOXES, boxes);
  return order.filter((id) => id === focused || !isEmpty(boxes[id]));
}

/**
 * Returns the boxes of a column in the order from top to bottom: those without content come last. Hidden boxes are
 * omitted.
 */
function orderBoxes(ids: readonly BoxId[], boxes: Readonly<Record<BoxId, OverviewBox>>): readonly BoxId[] {
  const shown = ids.filter((id) => boxes[id].isHidden !== true);
  return [...shown.filter((id) => !isEmpty(boxes[id])), ...shown.filter((id) => isEmpty(boxes[id]))];
}

/** Returns true if a box has no content, so that it is drawn as one line. */
function isEmpty({ rows, plot }: OverviewBox): boolean {
  return plot === undefined && rows.length === 0;
}

/**
 * Returns which boxes are drawn, and where. On a large screen they are in two columns, otherwise in one.
 *
 * @param focused the box that must be visible even if the screen does not have space for all boxes
 */
export function overviewLayout(
  { size, header }: Pick<ConsoleState, 'size' | 'header'>,
  boxes: Readonly<Record<BoxId, OverviewBox>>,
  focused: BoxId,
): OverviewLayout {
  const { tall, rows: height } = pageRows({ size, header });
  const layOut = (ids: readonly BoxId[]): readonly PlacedBox[] =>
    layOutBoxes(
      orderBoxes(ids, boxes).map((id) => boxes[id]),
      focused,
      height,
    );
  if (!isWide(size)) return { tall, height, widths: [size.columns], columns: [layOut(NARROW_BOXES)] };
  return { tall, height, widths: halfWidths(size.columns), columns: [layOut(LEFT_BOXES), layOut(RIGHT_BOXES)] };
}

/**
 * Distributes `height` rows among the boxes. Each box gets its minimum in order, while the rows suffice; a box without
 * content gets none besides its title. The remaining rows go to boxes with more content, one row at a time. If the
 * focused box would not fit, boxes at the top are left out.
 */
export function layOutBoxes(boxes: readonly OverviewBox[], focused: BoxId, height: number): readonly PlacedBox[] {
  const at = boxes.findIndex(({ id }) => id === focused);
  let first = 0;
  while (first < at && neededRows(boxes.slice(first, at + 1)) > height) first += 1;
  const shown: { readonly box: OverviewBox; rows: number }[] = [];
  let left = height;
  for (const box of boxes.slice(first)) {
    const rows = leastRows(box);
    const needed = rows + 1 + gapRows(shown.at(-1)?.box, box);
    if (needed > left) break;
    shown.push({ box, rows });
    left -= needed;
  }
  while (left > 0) {
    const hungry = shown.filter(({ box, rows }) => rows < desiredRows(box));
    if (hungry.length === 0) break;
    for (const placed of hungry.slice(0, left)) {
      placed.rows += 1;
      left -= 1;
    }
  }
  return shown;
}

/** Returns the minimum number of rows for the boxes, including their titles and the blank lines between them. */
function neededRows(boxes: readonly OverviewBox[]): number {
  return boxes.reduce((sum, box, index) => sum + leastRows(box) + 1 + gapRows(boxes[index - 1], box), 0);
}

/** Returns the number of blank lines between two boxes of a column: none between two boxes without content. */
export function gapRows(above: OverviewBox | undefined, below: OverviewBox): number {
  return above === undefined || (isEmpty(above) && isEmpty(below)) ? 0 : 1;
}

function leastRows(box: OverviewBox): number {
  return isEmpty(box) ? 0 : box.least;
}

function desiredRows(box: OverviewBox): number {
  const { rows, plot, least, most } = box;
  if (isEmpty(box)) return 0;
  return plot === undefined ? clamp(rows.length, least, most) : most;
}

function isWide({ columns, rows }: ScreenSize): boolean {
  return columns >= WIDE_COLUMNS && rows >= TALL_ROWS;
}
