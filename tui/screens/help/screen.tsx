import type { ReactElement } from 'react';
import { Hints } from '../footer.tsx';
import { Row } from '../../text/row.tsx';
import { Rows } from '../../text/rows.tsx';
import { spread } from '../../text/runs.ts';
import { searchRuns } from '../../form/search-line.ts';
import { bindingsOf } from './actions.ts';
import { helpView } from './layer.ts';
import { CONTEXT_TITLES, type HelpLine } from './lines.ts';
import { highlighted } from '../../form/text-search.ts';
import { centredTop, helpBodyRows } from '../../state/screen-layout.ts';
import { cellWidth, fit } from '../../terminal/cells.ts';
import { run, type Run, type Theme } from '../../text/theme.ts';
import { hintsProps } from '../chrome-props.ts';
import type { Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import type { HelpLayer } from '../../state/layers/help.ts';

export interface HelpScreenProps {
  readonly theme: Theme;
  readonly store: Shown & Pick<Known, 'feed'>;
  readonly layer: HelpLayer;
}

/** The keys of the place that the help was opened from. */
export function HelpScreen({ theme, store, layer }: HelpScreenProps): ReactElement {
  const { columns, rows } = store.state.size;
  const { lines, cursor } = helpView(layer);
  const height = helpBodyRows(rows);
  const top = centredTop(cursor, lines.length, height);
  const keyCells = Math.max(0, ...lines.map((line) => (line.kind === 'binding' ? cellWidth(line.keys) : 0)));
  const body = lines
    .slice(top, top + height)
    .map((line, row) =>
      highlighted(lineRuns(line, { keyCells, columns, isCursor: top + row === cursor }), layer.search, false),
    );
  const title = [run(` mon: keys of ${CONTEXT_TITLES[layer.context].toLowerCase()}`, 'strong')];
  return (
    <>
      <Row theme={theme} runs={spread(title, [run(placeText(lines, top, height), 'faint')], columns)} />
      <Rows
        theme={theme}
        lines={body.length > 0 ? body : [[], [run('   No key matches. Esc clears the search.')]]}
        height={height}
      />
      <Row theme={theme} runs={ruleRuns(layer, columns)} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

function placeText(lines: readonly HelpLine[], top: number, height: number): string {
  if (lines.length <= height) return '';
  return `${String(top + 1)}-${String(Math.min(lines.length, top + height))} of ${String(lines.length)} `;
}

function lineRuns(
  line: HelpLine,
  { keyCells, columns, isCursor }: { readonly keyCells: number; readonly columns: number; readonly isCursor: boolean },
): readonly Run[] {
  if (line.kind === 'blank') return [];
  if (line.kind === 'heading') return [run(` ${line.text}`, 'strong')];
  const keys = fit(line.keys, keyCells);
  const text = fit(line.text, columns - keyCells - 6);
  return isCursor ? [run(` > ${keys}  ${text} `, 'cursor')] : [run(`   ${keys}  `, 'accent'), run(text)];
}

function ruleRuns(layer: HelpLayer, columns: number): readonly Run[] {
  const { search } = layer;
  if (search.isOpen || search.line.text !== '') return searchRuns(search, foundText(layer), columns);
  return [run('─'.repeat(columns), 'faint')];
}

function foundText(layer: HelpLayer): string {
  const { actions, index } = bindingsOf(layer);
  return actions.length === 0 ? 'no match' : `${String(index + 1)} of ${String(actions.length)}`;
}
