import type { ListOfView } from '../list/list-of-view.ts';
import type { LiveData, MergedSources } from '../model/live-data.ts';
import type { FiguresSource } from '../model/overview-figures.ts';
import type {
  EffectRequester,
  HasOptions,
  PauseControl,
  ConsoleHistory,
  MessageSink,
  Screen,
  SilenceDialogData,
  StateAdjuster,
} from '../state/ports.ts';

/**
 * All interfaces of the store that any action uses. The dispatcher passes them on, so it need not know which action
 * uses which.
 */
export interface ActionPorts
  extends
    Screen,
    StateAdjuster,
    MessageSink,
    EffectRequester,
    HasOptions,
    ConsoleHistory,
    SilenceDialogData,
    PauseControl,
    LiveData,
    MergedSources,
    FiguresSource,
    ListOfView {}
