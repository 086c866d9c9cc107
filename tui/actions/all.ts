import { putActions, type KeyAction } from '../state/keys.ts';
import { COMMAND_ACTIONS } from './command-line.ts';
import { PALETTE_ACTIONS } from './palette.ts';
import { PROMPT_ACTIONS } from './prompt.ts';
import { SEARCH_ACTIONS } from './search.ts';
import { MENU_ACTIONS } from './menus.ts';
import { FORM_ACTIONS } from './forms.ts';
import { CONFIRM_ACTIONS } from './confirm.ts';
import { HELP_ACTIONS } from '../screens/help/actions.ts';
import { LOG_ACTIONS } from '../screens/log/actions.ts';
import { CHECK_ACTIONS } from './checks.ts';
import { GLOBAL_ACTIONS } from './global-actions.ts';
import { MOVEMENT_ACTIONS } from './movements.ts';
import { VIEW_ACTIONS } from './views.ts';
import { OVERVIEW_ACTIONS } from '../screens/overview/actions.ts';
import { OPENING_ACTIONS } from './open-actions.ts';
import { LIST_ACTIONS } from './lists.ts';
import { PLAN_ACTIONS } from '../screens/plans/actions.ts';
import { CLUSTER_ACTIONS } from './cluster.ts';
import { ON_CALL_ACTIONS } from './on-call.ts';
import { NOISE_ACTIONS } from './groups-and-inhibitions.ts';
import { DEAD_LETTER_ACTIONS } from './dead-letters.ts';
import { NEW_SILENCE_ACTIONS } from './new-silence.ts';
import { SILENCE_ACTIONS } from './silences.ts';
import { CLIENT_ACTIONS } from './clients.ts';
import { SERIES_ACTIONS } from './series.ts';
import { TIMELINE_ACTIONS } from './timeline.ts';
import { INCIDENT_ACTIONS } from './incident.ts';
import { EVENT_ACTIONS } from './events.ts';
import { FOLD_ACTIONS } from './folds.ts';
import type { Action } from '../keys/action.ts';

const ALL_ACTIONS: readonly Action[] = [
  ...EVENT_ACTIONS,
  ...CLIENT_ACTIONS,
  ...SILENCE_ACTIONS,
  ...NEW_SILENCE_ACTIONS,
  ...DEAD_LETTER_ACTIONS,
  ...NOISE_ACTIONS,
  ...CLUSTER_ACTIONS,
  ...ON_CALL_ACTIONS,
  ...PLAN_ACTIONS,
  ...LIST_ACTIONS,
  ...FOLD_ACTIONS,
  ...OPENING_ACTIONS,
  ...TIMELINE_ACTIONS,
  ...INCIDENT_ACTIONS,
  ...SERIES_ACTIONS,
  ...OVERVIEW_ACTIONS,
  ...VIEW_ACTIONS,
  ...MOVEMENT_ACTIONS,
  ...GLOBAL_ACTIONS,
  ...CHECK_ACTIONS,
  ...LOG_ACTIONS,
  ...HELP_ACTIONS,
  ...CONFIRM_ACTIONS,
  ...FORM_ACTIONS,
  ...MENU_ACTIONS,
  ...SEARCH_ACTIONS,
  ...PROMPT_ACTIONS,
  ...COMMAND_ACTIONS,
  ...PALETTE_ACTIONS,
];

/** All actions of the console by name. */
export const ACTIONS_BY_NAME: ReadonlyMap<KeyAction, Action> = new Map(
  ALL_ACTIONS.map((action) => [action.name, action]),
);

putActions(ALL_ACTIONS);
