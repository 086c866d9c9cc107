import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ListedSchedule } from '../../shared/schemas/on-call.ts';
import { openConfirmation } from '../form/confirm.ts';
import { openMenu } from '../form/menu.ts';
import type { Action } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { rowUnderCursor } from '../list/selected-rows.ts';
import { askNewOverride } from '../screens/on-call/override.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';
import type { Screen } from '../state/ports.ts';
import { shownMinute } from '../words/shown-time.ts';

type Override = NonNullable<ListedSchedule['overrides']>[number];

/** The actions on on-call schedules, in the list of schedules and on the screen of a single one. */
export const ON_CALL_ACTIONS: readonly Action[] = [
  {
    name: 'override-new',
    keys: ['P'],
    in: ['on-call', 'schedule'],
    help: 'put a person on call in place of the schedule at the cursor',
    hint: 'override',
    changes: true,
    run: (store) => {
      const schedule = selectedSchedule(store);
      if (schedule !== undefined) askNewOverride(store, schedule);
    },
  },
  {
    name: 'override-delete',
    keys: ['D'],
    in: ['on-call', 'schedule'],
    help: 'delete an override of the schedule at the cursor',
    hint: 'delete override',
    changes: true,
    run: (store) => {
      const schedule = selectedSchedule(store);
      if (schedule !== undefined) chooseOverride(store, schedule);
    },
  },
];

/** Opens the screen of the schedule under the cursor. */
export function openOnCallSchedule(store: ActionPorts): void {
  const schedule = rowUnderCursor(store) as ListedSchedule | undefined;
  if (schedule !== undefined) openLoadedLayer(store, 'schedule', schedule.name);
}

/** Returns the schedule whose screen is open, or the schedule under the cursor. */
function selectedSchedule(store: ActionPorts): ListedSchedule | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'schedule' ? layer.load.data : (rowUnderCursor(store) as ListedSchedule | undefined);
}

/** Asks before the only override is deleted. If there are several, the user chooses one first. */
function chooseOverride(store: Screen, { name, overrides = [] }: ListedSchedule): void {
  const [only, ...others] = overrides;
  if (only === undefined) return store.say(safeLine(`${name} has no override: P creates one`));
  if (others.length === 0) return confirmDeletion(store, only);
  openMenu(store, {
    title: safeLine(`Delete an override of ${name}`),
    items: () =>
      overrides.map((override) => ({
        id: override.id,
        label: overrideText(override),
        choose: () => confirmDeletion(store, override),
      })),
  });
}

function confirmDeletion(store: Screen, override: Override): void {
  const { id, schedule, person, note } = override;
  openConfirmation(store, {
    title: safeLine(`Delete the override of ${schedule}`),
    lines: [overrideText(override), ...(note === undefined ? [] : [safeLine(note)])],
    button: 'Delete override',
    focused: 'cancel',
    count: 1,
    effect: { kind: 'delete-override', schedule, id, person },
  });
}

function overrideText({ person, from, until }: Override): string {
  return safeLine(`${person} from ${shownMinute(from * 1000)} until ${shownMinute(until * 1000)}`);
}
