import { Box } from 'ink';
import { useSyncExternalStore, type ReactElement } from 'react';
import { CommandBar } from './actions/command-bar.tsx';
import { ConfirmDialog, UpgradeDialog } from './form/question-dialog.tsx';
import { MenuDialog } from './form/menu-dialog.tsx';
import { SilenceDialog } from './screens/silences/dialog.tsx';
import { DetailScreen } from './screens/detail/screen.tsx';
import { InspectScreen } from './screens/inspect/screen.tsx';
import { HelpScreen } from './screens/help/screen.tsx';
import { LoadedScreen } from './screens/handling/screen.tsx';
import { LogScreen } from './screens/log/screen.tsx';
import { PlanPageScreen } from './screens/plans/page-screen.tsx';
import { RefusedScreen } from './screens/connection/refused-screen.tsx';
import { SilenceEntryScreen } from './screens/silences/entry-screen.tsx';
import { TooSmallScreen } from './screens/connection/too-small-screen.tsx';
import { ViewScreen } from './screens/view-screens.tsx';
import { completionOf } from './actions/command-line.ts';
import { isTooSmall } from './state/console-state.ts';
import { shownItems } from './form/menu.ts';
import type { Theme } from './text/theme.ts';
import type { Screen, Opened, Remembers, Silencing, Shown } from './state/ports.ts';
import type { Counted } from './model/overview-figures.ts';
import type { Known, Places } from './model/known.ts';
import type { ListOfView } from './list/list-of-view.ts';
import { isFull } from './state/layers/layer.ts';

/** Tells of each frame. */
interface Drawn {
  subscribe(this: void, listener: () => void): () => void;
  version(this: void): number;
}

export interface AppProps {
  readonly store: Shown & Opened & Remembers & Silencing & Counted & Known & Places & ListOfView & Drawn;
  readonly theme: Theme;
}

/** The whole console. The only subscription to the store is here: one frame, one pass through the tree. */
export function App({ store, theme: started }: AppProps): ReactElement {
  useSyncExternalStore(store.subscribe, store.version);
  const theme = { ...started, ...store.state.look };
  const { size } = store.state;
  if (isTooSmall(size)) return <TooSmallScreen columns={size.columns} rows={size.rows} />;
  return (
    // Rows are cut at the edge by themselves, and Ink takes each apart once more where it cuts at the sides.
    <Box flexDirection="column" width={size.columns} height={size.rows} overflowY="hidden">
      <Screen store={store} theme={theme} />
      <Dialog store={store} theme={theme} />
    </Box>
  );
}

/** The topmost layer, where it is a dialog over the screen. */
function Dialog({ store, theme }: AppProps): ReactElement | null {
  const { size, layers } = store.state;
  const dialog = layers.at(-1);
  if (dialog === undefined || isFull(dialog)) return null;
  return (
    <Box position="absolute" flexDirection="column" width={size.columns} height={size.rows} overflow="hidden">
      {dialog.kind === 'silence' && (
        <SilenceDialog
          theme={theme}
          size={size}
          form={dialog.form}
          preview={store.silencePreview(dialog.form)}
          recent={store.silenceRecent.of(dialog.form)}
          policy={store.silencePolicy}
          silenced={store.silenced}
          nowMs={store.nowMs}
        />
      )}
      {dialog.kind === 'confirm' && <ConfirmDialog theme={theme} size={size} layer={dialog} />}
      {dialog.kind === 'upgrade-dialog' && <UpgradeDialog theme={theme} size={size} layer={dialog} />}
      {dialog.kind === 'menu' && <MenuDialog theme={theme} size={size} layer={dialog} items={shownItems(dialog)} />}
      {dialog.kind === 'command' && (
        <CommandBar theme={theme} size={size} layer={dialog} completion={completionOf(store, dialog)} />
      )}
    </Box>
  );
}

/** The topmost layer that fills the screen, or the view. */
function Screen({ store, theme }: AppProps): ReactElement {
  const { connection } = store.feed;
  const layer = store.state.layers.findLast(isFull);
  if (layer?.kind === 'help') return <HelpScreen theme={theme} store={store} layer={layer} />;
  if (layer?.kind === 'log') return <LogScreen theme={theme} store={store} layer={layer} />;
  if (connection.kind === 'refused') {
    return (
      <RefusedScreen
        theme={theme}
        columns={store.state.size.columns}
        backend={store.options.backend}
        code={connection.code}
        message={connection.message}
      />
    );
  }
  if (layer?.kind === 'detail') return <DetailScreen theme={theme} store={store} layer={layer} />;
  if (layer?.kind === 'inspect') return <InspectScreen theme={theme} store={store} layer={layer} />;
  if (layer?.kind === 'handling' || layer?.kind === 'dead-letter') {
    return <LoadedScreen theme={theme} store={store} layer={layer} />;
  }
  if (layer?.kind === 'silence-entry') return <SilenceEntryScreen theme={theme} store={store} layer={layer} />;
  if (layer?.kind === 'plan-page') return <PlanPageScreen theme={theme} store={store} layer={layer} />;
  return <ViewScreen theme={theme} store={store} />;
}
