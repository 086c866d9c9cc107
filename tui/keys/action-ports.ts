import type { ListOfView } from '../list/list-of-view.ts';
import type { LiveData } from '../model/live-data.ts';
import type { FiguresSource } from '../model/overview-figures.ts';
import type { ConsoleHistory, PauseControl, Screen, SilenceDialogData, StateAdjuster } from '../state/ports.ts';

/** All interfaces of the store that actions use. The key dispatcher passes all of them to each action. */
export interface ActionPorts
  extends Screen, StateAdjuster, ConsoleHistory, SilenceDialogData, PauseControl, LiveData, FiguresSource, ListOfView {}
