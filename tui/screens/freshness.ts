import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ViewLoad } from '../model/view-data.ts';
import { run, type Line } from '../text/theme.ts';
import { clockText } from './connection/connection-text.ts';

/** Returns text that says when the data of a screen was loaded; empty if it is not loaded yet. */
export function asOfLine({ loadedAtMs, failure }: ViewLoad<unknown>): Line {
  if (loadedAtMs === undefined) return [];
  return [run(`as of ${clockText(loadedAtMs)} `, failure === undefined ? 'faint' : 'warning')];
}

/** Returns the lines that a screen shows until its data is loaded. */
export function notLoadedLines({ failure }: ViewLoad<unknown>): readonly Line[] {
  if (failure === undefined) return [[run(' loading …', 'faint')]];
  return [[run(` ${safeLine(failure)}`, 'critical')], [run(' Retrying every few seconds; Esc goes back.')]];
}
