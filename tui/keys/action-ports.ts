import type { ListOfView } from '../list/list-of-view.ts';
import type { Known, Places } from '../model/known.ts';
import type { Counted } from '../model/overview-figures.ts';
import type { Asks, Opened, Pauses, Remembers, Says, Screen, Silencing, Settles } from '../state/ports.ts';

/** What keys and commands of every kind act on: who hands a key on does not know what it takes. */
export interface ActionPorts
  extends Screen, Settles, Says, Asks, Opened, Remembers, Silencing, Pauses, Known, Places, Counted, ListOfView {}
