import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { FiguresSource } from '../model/overview-figures.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ScreenView, ConsoleHistory, SilenceDialogData } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { Rows } from '../text/rows.tsx';
import { run, type Line, type Theme } from '../text/theme.ts';
import { headerProps, hintsProps } from './chrome-props.ts';
import { HintsLine, MESSAGE_TONES } from './footer.tsx';
import { HEADER_ROWS, isStale, ShortHeader, TallHeader } from './header.tsx';

/** The content of a screen between its header and the key hints. */
export interface Page {
  /** The kind of header: with counters and tabs (`tall`), in one row (`short`), or none. */
  readonly header: 'tall' | 'short' | 'none';
  /** Lines below the header; the remaining rows stay blank. */
  readonly top: readonly Line[];
  /** Lines right above the key hints. */
  readonly bottom: readonly Line[];
  /** True if the page has rows to mark and to sort. Default true. */
  readonly hasRows?: boolean;
}

/** The interfaces of the store from which pages are built. */
export interface PagePorts extends ScreenView, ConsoleHistory, SilenceDialogData, FiguresSource, LiveData, ListOfView {}

/** Renders a page, such as the overview or the help, on the whole screen. */
export function PageScreen({
  theme,
  store,
  page: { header, top, bottom, hasRows = true },
}: {
  readonly theme: Theme;
  readonly store: PagePorts;
  readonly page: Page;
}): ReactElement {
  const height = pageHeight(store, header, bottom.length);
  return (
    <>
      {header === 'tall' && <TallHeader {...headerProps(theme, store)} />}
      {header === 'short' && <ShortHeader {...headerProps(theme, store)} />}
      <Rows theme={theme} lines={top} height={height} />
      <Rows theme={theme} lines={bottom} />
      <HintsLine {...hintsProps(theme, store)} hasRows={hasRows} />
    </>
  );
}

/** Returns the number of screen rows between the header and the lines at the bottom. */
export function pageHeight({ state }: ScreenView, header: Page['header'], bottom: number): number {
  return Math.max(1, state.size.rows - HEADER_ROWS[header] - bottom - 1);
}

/** Returns a horizontal rule across the screen, with a text at its left end. */
export function ruleLine({ state }: ScreenView, text = ''): Line {
  return [run(text.padEnd(state.size.columns, '─'), 'faint')];
}

/**
 * Returns the line at the bottom of a page. It shows the outcome of the last action, a problem, or a description of the
 * page.
 */
export function messageLine(
  { state: { message }, feed }: ScreenView & Pick<LiveData, 'feed'>,
  description: string,
  notice: string | undefined,
): Line {
  if (message !== undefined) return [run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])];
  if (isStale(feed)) return [run(' actions are disabled while disconnected; showing the last known state', 'warning')];
  return notice === undefined ? [run(` ${description}`, 'faint')] : [run(` ${safeLine(notice)}`, 'warning')];
}
