import { spreadRuns } from '../../text/runs.ts';
import { searchRuns } from '../../form/search-line.ts';
import { bindingsOf } from './actions.ts';
import { helpRows, helpView } from './layer.ts';
import { ruleLine, type Page, type PagePorts } from '../page.tsx';
import { CONTEXT_TITLES, type HelpLine } from './lines.ts';
import { highlightWords } from '../../form/text-search.ts';
import { centredTop } from '../../state/screen-layout.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { HelpLayer } from '../../state/layers/help.ts';

/** Returns the help screen, with the keys of the context from which the help was opened. */
export function helpScreen(store: PagePorts, layer: HelpLayer): Page {
  const { columns } = store.state.size;
  const { lines, cursor } = helpView(layer);
  const height = helpRows(store);
  const top = centredTop(cursor, lines.length, height);
  const keyCells = Math.max(0, ...lines.map((line) => (line.kind === 'binding' ? cellWidth(line.keys) : 0)));
  const body = lines
    .slice(top, top + height)
    .map((line, row) =>
      highlightWords(lineRuns(line, { keyCells, columns, isCursor: top + row === cursor }), layer.search, false),
    );
  const title = [run(` mon: key bindings for ${CONTEXT_TITLES[layer.context].toLowerCase()}`, 'strong')];
  const head = spreadRuns(title, [run(rangeText(lines, top, height), 'faint')], columns);
  const none = [[], [run('   No key matches. Esc clears the search.')]];
  return { header: 'none', top: [head, ...(body.length > 0 ? body : none)], bottom: [searchRule(store, layer)] };
}

function rangeText(lines: readonly HelpLine[], top: number, height: number): string {
  if (lines.length <= height) return '';
  return `${String(top + 1)}-${String(Math.min(lines.length, top + height))} of ${String(lines.length)} `;
}

function lineRuns(
  line: HelpLine,
  { keyCells, columns, isCursor }: { readonly keyCells: number; readonly columns: number; readonly isCursor: boolean },
): readonly Run[] {
  if (line.kind === 'blank') return [];
  if (line.kind === 'heading') return [run(` ${line.text}`, 'strong')];
  const keys = fitToWidth(line.keys, keyCells);
  const text = fitToWidth(line.text, columns - keyCells - 6);
  return isCursor ? [run(` > ${keys}  ${text} `, 'cursor')] : [run(`   ${keys}  `, 'accent'), run(text)];
}

function searchRule(store: ScreenView, layer: HelpLayer): Line {
  const { search } = layer;
  if (!search.isOpen && search.line.text === '') return ruleLine(store);
  return searchRuns(search, matchText(layer), store.state.size.columns);
}

function matchText(layer: HelpLayer): string {
  const { actions, index } = bindingsOf(layer);
  return actions.length === 0 ? 'no match' : `${String(index + 1)} of ${String(actions.length)}`;
}
