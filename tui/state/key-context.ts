import type { ViewName } from './view-names.ts';

/** Where a binding is in effect: a view by its name, or what lies over it. */
export type KeyContext =
  | ViewName
  | 'detail'
  | 'inspect'
  | 'handling'
  | 'dead-letter'
  | 'member'
  | 'silence-entry'
  | 'report'
  | 'timeline'
  | 'timeline-search'
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
