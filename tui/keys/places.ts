import type { KeyContext } from '../state/key-context.ts';
import { FULL_LAYERS } from '../state/layers/layer.ts';

/*
 * Where keys mean the same: groups of contexts.
 */

/** The views that are lists: what moves, marks, sorts and filters means the same in each. */
export const LISTS = [
  'events',
  'silences',
  'aggregates',
  'clients',
  'checks',
  'dead-letters',
  'groups',
  'inhibitions',
  'cluster',
] as const;

/** What can be paused, and has a log of what was said. A plan for an upgrade goes on, and has a log of its own. */
export const VIEWS_PAUSED = [...LISTS, 'overview', 'upgrade'] as const;

export const VIEWS_ALL = [...VIEWS_PAUSED, 'plan'] as const;

/** Where there can be more rows than the screen has. */
export const SCROLLED = [...VIEWS_ALL, ...FULL_LAYERS] as const;

/** Where keys are text, or choose something: nothing comes over it by itself. */
export const KEYS_TAKEN: ReadonlySet<KeyContext> = new Set(['prompt', 'search', 'form', 'menu', 'confirm', 'command']);

/** What is read from top to bottom, and is asked for from the backend as a whole. */
export const PAGES = ['handling', 'dead-letter', 'member', 'report', 'timeline', 'timeline-search'] as const;

/** What is read from top to bottom. */
export const TEXTS = ['detail', 'inspect', ...PAGES] as const;
