import { Box } from 'ink';
import { useSyncExternalStore, type ReactElement } from 'react';
import { CommandBar } from './actions/command-bar.tsx';
import { Dialog, type DialogPage } from './form/dialog.tsx';
import { confirmDialog, fieldsDialog } from './form/question-dialog.ts';
import { menuDialog } from './form/menu-dialog.ts';
import { silenceDialog } from './screens/silences/dialog.ts';
import { refusedLines } from './screens/connection/refused-screen.ts';
import { PaneBelow } from './screens/events/pane.tsx';
import { PageScreen, type PagePorts } from './screens/page.tsx';
import { layerPage, VIEW_PAGES } from './screens/screen-on-top.ts';
import { SmallScreen } from './screens/small-screen.tsx';
import { TableScreen } from './screens/table-screen.tsx';
import { completionOf } from './actions/command-line.ts';
import { isTooSmall } from './state/console-state.ts';
import { shownItems } from './form/menu.ts';
import { Rows } from './text/rows.tsx';
import type { Theme } from './text/theme.ts';
import type { CommandLayer } from './state/layers/command.ts';
import { isFull, type FullLayer, type Layer } from './state/layers/layer.ts';

/** The part of the store that notifies listeners about each frame. `version` returns a new number for each frame. */
interface FrameNotifier {
  subscribe(this: void, listener: () => void): () => void;
  version(this: void): number;
}

export interface AppProps {
  readonly store: PagePorts & FrameNotifier;
  readonly theme: Theme;
}

/**
 * The root component of the console. Only this component subscribes to the store, so that each frame renders the
 * component tree once.
 */
export function App({ store, theme: started }: AppProps): ReactElement {
  useSyncExternalStore(store.subscribe, store.version);
  const theme = { ...started, ...store.state.themeChanges };
  const { size } = store.state;
  const isSmall = isTooSmall(size);
  return (
    // Every row is already cut to the width of the screen. `overflowX` is not set, because Ink would then cut each row
    // again.
    <Box flexDirection="column" width={size.columns} height={size.rows} overflowY="hidden">
      {isSmall ? <SmallScreen store={store} theme={theme} /> : <Screen store={store} theme={theme} />}
      {!isSmall && <LayerOnTop store={store} theme={theme} />}
    </Box>
  );
}

/** Renders the topmost layer if it does not fill the screen, such as a dialog or the command line. */
function LayerOnTop({ store, theme }: AppProps): ReactElement | null {
  const { size, layers } = store.state;
  const layer = layers.at(-1);
  if (layer === undefined || isFull(layer)) return null;
  return (
    <Box position="absolute" flexDirection="column" width={size.columns} height={size.rows} overflow="hidden">
      {layer.kind === 'command' ? (
        <CommandBar theme={theme} size={size} layer={layer} completion={completionOf(store, layer)} />
      ) : (
        <Dialog theme={theme} size={size} dialog={dialogOf(store, layer)} />
      )}
    </Box>
  );
}

function dialogOf(store: PagePorts, layer: Exclude<Layer, FullLayer | CommandLayer>): DialogPage {
  const { size } = store.state;
  switch (layer.kind) {
    case 'silence': {
      const { form } = layer;
      const { silencePolicy: policy, silenced, nowMs } = store;
      const recent = store.silenceRecent.of(form);
      const refused = store.silenceRecent.refusalOf(form);
      return silenceDialog(
        { form, preview: store.silencePreview(form), recent, refused, policy, silenced, nowMs },
        size,
      );
    }
    case 'confirm':
      return confirmDialog(layer, size);
    case 'fields-dialog':
      return fieldsDialog(layer, size);
    case 'menu':
      return menuDialog(layer, shownItems(layer), size);
  }
}

/** Renders the topmost layer that fills the screen, or the current view if there is no such layer. */
function Screen({ store, theme }: AppProps): ReactElement | null {
  const { connection } = store.feed;
  const layer = store.state.layers.findLast(isFull);
  if (connection.kind === 'refused' && layer?.kind !== 'help' && layer?.kind !== 'log') {
    return <Rows theme={theme} lines={refusedLines(store, connection.code, connection.message)} />;
  }
  const page = layer === undefined ? VIEW_PAGES[store.state.view]?.(store) : layerPage(store, layer);
  if (page !== undefined) return <PageScreen theme={theme} store={store} page={page} />;
  const { table } = store;
  if (table === undefined) return null;
  return (
    <TableScreen theme={theme} store={store} table={table}>
      <PaneBelow theme={theme} store={store} />
    </TableScreen>
  );
}
