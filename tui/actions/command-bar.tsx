import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { Completion } from './command-line.ts';
import type { ScreenSize } from '../state/console-state.ts';
import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { run, type Run, type Theme } from '../text/theme.ts';
import { Rows } from '../text/rows.tsx';
import { fitRuns } from '../text/runs.ts';
import { fieldRuns } from '../form/text-field.ts';
import type { CommandLayer } from '../state/layers/command.ts';

/** Renders the command line over the last rows of the screen: the typed text, its problem, and the completions. */
export function CommandBar({
  theme,
  size,
  layer,
  completion,
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly layer: CommandLayer;
  readonly completion: Completion;
}): ReactElement {
  const { columns, rows } = size;
  const field = [run(' :', 'strong'), ...fieldRuns(layer.line, columns - 3, true)];
  const lines = [
    [run('─'.repeat(columns), 'faint')],
    fitRuns(field, columns),
    fitRuns(belowRuns(layer, completion, columns), columns),
  ];
  return <Rows theme={theme} lines={lines} placement={{ position: 'absolute', marginTop: rows - lines.length }} />;
}

function belowRuns({ problem, chosen }: CommandLayer, completion: Completion, columns: number): readonly Run[] {
  if (problem !== undefined) return [run(fitToWidth(` ${safeLine(problem)}`, columns), 'critical')];
  const { candidates, usage } = completion;
  if (candidates.length === 0) return usage === undefined ? [] : [run(fitToWidth(` ${usage}`, columns), 'faint')];
  return candidateRuns(candidates.map(safeLine), chosen?.at, columns);
}

/** Returns as many completions as fit in the line, among them the chosen one. */
function candidateRuns(candidates: readonly string[], at: number | undefined, columns: number): readonly Run[] {
  let page: Run[] = [];
  let available = columns - 2;
  for (const [index, candidate] of candidates.entries()) {
    const cells = cellWidth(candidate) + 2;
    if (cells > available && page.length > 0) {
      if (index > (at ?? 0)) return [...page, run(' …', 'faint')];
      page = [];
      available = columns - 2;
    }
    page.push(run(' '), run(candidate, index === at ? 'cursor' : 'accent'), run(' '));
    available -= cells;
  }
  return page;
}
