import type { KeyContext } from '../state/key-context.ts';
import { FULL_LAYERS } from '../state/layers/layer.ts';

/* Groups of key contexts (views, screens and input lines) in which keys have the same meaning. */

/** The views that are lists: keys for moving, marking, sorting and filtering have the same meaning in each. */
export const LIST_CONTEXTS = [
  'events',
  'silences',
  'aggregates',
  'clients',
  'checks',
  'dead-letters',
  'groups',
  'inhibitions',
  'on-call',
  'cluster',
] as const;

/** The views that can be paused. The page of an upgrade plan cannot be paused. */
export const PAUSABLE_VIEWS = [...LIST_CONTEXTS, 'overview', 'upgrade'] as const;

export const ALL_VIEWS = [...PAUSABLE_VIEWS, 'plan'] as const;

/** The contexts whose content can have more rows than the screen, so that it scrolls. */
export const SCROLLED_CONTEXTS = [...ALL_VIEWS, ...FULL_LAYERS] as const;

/**
 * The contexts in which the user types text or makes a choice, so that the console must not open a dialog by itself.
 */
export const INPUT_CONTEXTS: ReadonlySet<KeyContext> = new Set([
  'prompt',
  'search',
  'form',
  'menu',
  'confirm',
  'command',
]);

/** The contexts of screens over a view that show the data of one response of the backend as text. */
export const PAGE_CONTEXTS = [
  'handling',
  'dead-letter',
  'member',
  'schedule',
  'report',
  'timeline',
  'timeline-search',
  'incident',
  'series',
] as const;

/** The contexts of screens over a view that show text. */
export const TEXT_CONTEXTS = ['detail', 'inspect', ...PAGE_CONTEXTS] as const;
