import type { ViewName } from './view-names.ts';

/** The context in which a binding is active: a view by its name, or a layer above it. */
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
