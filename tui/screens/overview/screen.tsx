import type { ReactElement } from 'react';
import { beside } from '../../text/beside.ts';
import { Hints } from '../footer.tsx';
import { isStale, ShortHeader, TallHeader } from '../header.tsx';
import { MessageLine } from '../message-line.tsx';
import { boxLines } from './box.ts';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { rowIndex } from './actions.ts';
import { overviewBoxes } from './boxes.ts';
import { overviewLayout, type PlacedBox } from './layout.ts';
import { run, type Line, type Theme } from '../../text/theme.ts';
import { headerProps, hintsProps } from '../chrome-props.ts';
import { failureText } from '../failure-text.ts';
import type { Opened, Remembers, Shown } from '../../state/ports.ts';
import type { Counted } from '../../model/overview-figures.ts';
import type { Known, Places } from '../../model/known.ts';

/** What there is to know at first sight, in boxes. */
export function OverviewScreen({
  theme,
  store,
}: {
  readonly theme: Theme;
  readonly store: Shown & Opened & Remembers & Counted & Known & Places;
}): ReactElement {
  const { size, overview, message } = store.state;
  const layout = overviewLayout(store.state, overviewBoxes(store), overview.box);
  const Header = layout.tall ? TallHeader : ShortHeader;
  const columns = layout.columns.map((boxes, index) => columnLines(store, boxes, layout.widths[index] ?? 0));
  const stale = isStale(store.feed);
  const drawn = beside(columns, layout.widths, layout.height);
  // Nothing here is known to be true any more.
  const lines = stale ? drawn.map((runs) => [run(runs.map(({ text }) => text).join(''), 'faint')]) : drawn;
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <Rows theme={theme} lines={lines} height={layout.height} />
      <Row theme={theme} runs={[run('─'.repeat(size.columns), 'faint')]} />
      <MessageLine
        theme={theme}
        message={message}
        stale={stale}
        notice={failureText(store)}
        about="Enter opens what is under the cursor as a filtered list"
      />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

/** The boxes of a column one below the other, with a blank line between two. */
function columnLines(store: Shown, boxes: readonly PlacedBox[], width: number): readonly Line[] {
  const { overview } = store.state;
  return boxes.flatMap((placed, index) => {
    const cursor = placed.box.id === overview.box ? rowIndex(placed.box, overview) : undefined;
    const lines = boxLines(placed, { width, cursor });
    return index === 0 ? lines : [[], ...lines];
  });
}
