import type { InspectLayer } from './inspect.ts';
import type { HelpLayer } from './help.ts';
import type { LogLayer } from './log.ts';
import type { MenuLayer } from './menu.ts';
import type { CommandLayer } from './command.ts';
import type { FieldsDialogLayer } from './fields-dialog.ts';
import type { PlanPageLayer } from './plans.ts';
import type {
  DeadLetterLayer,
  HandlingLayer,
  IncidentLayer,
  MemberLayer,
  TimelineSearchLayer,
  SeriesLayer,
  ReportLayer,
  OnCallScheduleLayer,
  SilenceEntryLayer,
  TimelineLayer,
} from './loaded.ts';
import type { DetailLayer } from './detail.ts';
import type { SilenceLayer } from './silence.ts';
import type { ConfirmLayer } from './confirm.ts';
import type { SearchField } from '../search-field.ts';

/** A layer: a dialog, menu or screen that is drawn over the view. Layers can be stacked. */
export type Layer = FullLayer | SilenceLayer | ConfirmLayer | FieldsDialogLayer | MenuLayer | CommandLayer;

/** A layer that fills the screen and hides the view. */
export type FullLayer =
  | DetailLayer
  | InspectLayer
  | HandlingLayer
  | DeadLetterLayer
  | MemberLayer
  | OnCallScheduleLayer
  | SilenceEntryLayer
  | ReportLayer
  | TimelineLayer
  | TimelineSearchLayer
  | IncidentLayer
  | SeriesLayer
  | PlanPageLayer
  | HelpLayer
  | LogLayer;

/** The kinds of layers that fill the screen. */
export const FULL_LAYERS = [
  'detail',
  'inspect',
  'handling',
  'dead-letter',
  'member',
  'schedule',
  'silence-entry',
  'report',
  'timeline',
  'timeline-search',
  'incident',
  'series',
  'plan-page',
  'help',
  'log',
] as const satisfies readonly FullLayer['kind'][];

export function isFull(layer: Layer): layer is FullLayer {
  return (FULL_LAYERS as readonly string[]).includes(layer.kind);
}

/**
 * Returns the search of a layer.
 *
 * @returns the search; `undefined` if the layer has none
 */
export function searchOf(layer: Layer | undefined): SearchField | undefined {
  return layer !== undefined && 'search' in layer && 'isOpen' in layer.search ? layer.search : undefined;
}
