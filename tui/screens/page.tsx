import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { Counted } from '../model/overview-figures.ts';
import type { Known, Places } from '../model/known.ts';
import type { Opened, Remembers, Shown, Silencing } from '../state/ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { Rows } from '../text/rows.tsx';
import { run, type Line, type Theme } from '../text/theme.ts';
import { headerProps, hintsProps } from './chrome-props.ts';
import { Hints, MESSAGE_TONES } from './footer.tsx';
import { HEADER_ROWS, isStale, ShortHeader, TallHeader } from './header.tsx';

/** What a screen shows between its header and the keys worth knowing. */
export interface Page {
  /** With counters and tabs, in one row, or none. */
  readonly header: 'tall' | 'short' | 'none';
  /** From the header on; rows that are left stay blank. */
  readonly top: readonly Line[];
  /** Right above the keys. */
  readonly bottom: readonly Line[];
  /** Whether there are rows to mark and to sort. Default true. */
  readonly hasRows?: boolean;
}

/** What pages are made of. */
export interface PagePorts extends Shown, Opened, Remembers, Silencing, Counted, Known, Places, ListOfView {}

/** Draws a page over the whole screen. */
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
      <Hints {...hintsProps(theme, store)} hasRows={hasRows} />
    </>
  );
}

/** Rows of the screen between the header and what is at the bottom. */
export function pageHeight({ state }: Shown, header: Page['header'], bottom: number): number {
  return Math.max(1, state.size.rows - HEADER_ROWS[header] - bottom - 1);
}

/** A line across the screen, with what stands in it at the left. */
export function ruleLine({ state }: Shown, text = ''): Line {
  return [run(text.padEnd(state.size.columns, '─'), 'faint')];
}

/** The line at the bottom of a page: the outcome of the last action, what is wrong, or what the page is about. */
export function messageLine(
  { state: { message }, feed }: Shown & Pick<Known, 'feed'>,
  about: string,
  notice: string | undefined,
): Line {
  if (message !== undefined) return [run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])];
  if (isStale(feed)) return [run(' actions are disabled while disconnected; showing the last known state', 'warning')];
  return notice === undefined ? [run(` ${about}`, 'faint')] : [run(` ${safeLine(notice)}`, 'warning')];
}
