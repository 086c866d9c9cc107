import type { ViewName } from './view-names.ts';

/**
 * The context in which a key binding is active: a view, a screen or dialog over the view, or a line in which the user
 * types.
 */
export type KeyContext =
  | ViewName
  | 'detail'
  | 'inspect'
  | 'handling'
  | 'dead-letter'
  | 'member'
  | 'schedule'
  | 'silence-entry'
  | 'report'
  | 'timeline'
  | 'timeline-search'
  | 'incident'
  | 'series'
  | 'plan'
  | 'plan-page'
  | 'help'
  | 'log'
  | 'confirm'
  | 'form'
  | 'prompt'
  | 'search'
  | 'menu'
  | 'command';
