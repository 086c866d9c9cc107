import { sideBySide } from '../../text/side-by-side.ts';
import { isStale } from '../header.tsx';
import { messageLine, ruleLine, type Page, type PagePorts } from '../page.tsx';
import { boxLines } from './box.ts';
import { rowIndex } from './actions.ts';
import { overviewBoxes } from './boxes.ts';
import { gapRows, overviewLayout, type PlacedBox } from './layout.ts';
import { run, type Line } from '../../text/theme.ts';
import { failureText } from '../failure-text.ts';
import type { ScreenView } from '../../state/ports.ts';

/** Returns the overview screen, which shows the most important facts of the site in boxes. */
export function overviewScreen(store: PagePorts): Page {
  const layout = overviewLayout(store.state, overviewBoxes(store), store.state.overview.box);
  const columns = layout.columns.map((boxes, index) => columnLines(store, boxes, layout.widths[index] ?? 0));
  const drawn = sideBySide(columns, layout.widths, layout.height);
  // Without a connection the shown data may be outdated, so it is drawn faint.
  const top = isStale(store.feed) ? drawn.map((runs) => [run(runs.map(({ text }) => text).join(''), 'faint')]) : drawn;
  const description = 'Enter opens a filtered list for the row under the cursor';
  return {
    header: layout.tall ? 'tall' : 'short',
    top,
    bottom: [ruleLine(store), messageLine(store, description, failureText(store))],
  };
}

/** Returns the lines of a column: its boxes one below the other, with blank lines between them. */
function columnLines(store: ScreenView, boxes: readonly PlacedBox[], width: number): readonly Line[] {
  const { overview } = store.state;
  return boxes.flatMap((placed, index) => {
    const cursor = placed.box.id === overview.box ? rowIndex(placed.box, overview) : undefined;
    const lines = boxLines(placed, { width, cursor });
    return gapRows(boxes[index - 1]?.box, placed.box) === 0 ? lines : [[], ...lines];
  });
}
