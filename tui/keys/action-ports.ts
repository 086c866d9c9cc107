import type { ListOfView } from '../list/list-of-view.ts';
import type { LiveData, MergedSources } from '../model/live-data.ts';
import type { FiguresSource } from '../model/overview-figures.ts';
import type { Asks, Opened, Pauses, Remembers, MessageSink, Screen, Silencing, Settles } from '../state/ports.ts';

/** The ports that keys and commands of all kinds use, so that their dispatcher needs no knowledge of them. */
export interface ActionPorts
  extends
    Screen,
    Settles,
    MessageSink,
    Asks,
    Opened,
    Remembers,
    Silencing,
    Pauses,
    LiveData,
    MergedSources,
    FiguresSource,
    ListOfView {}
