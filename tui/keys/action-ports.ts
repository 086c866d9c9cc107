import type { ListOfView } from '../list/list-of-view.ts';
import type { Known, Places } from '../model/known.ts';
import type { Counted } from '../model/overview-figures.ts';
import type { Asks, Opened, Pauses, Remembers, Says, Screen, Silencing, Settles } from '../state/ports.ts';

/** The ports that keys and commands of all kinds use, so that their dispatcher needs no knowledge of them. */
export interface ActionPorts
  extends Screen, Settles, Says, Asks, Opened, Remembers, Silencing, Pauses, Known, Places, Counted, ListOfView {}
