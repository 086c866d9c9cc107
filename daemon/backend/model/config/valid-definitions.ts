import type { CheckDefinition } from '../../../../shared/schemas/check.ts';
import type { FilterDefinition } from '../../../../shared/schemas/filter.ts';
import type { HandlerDefinition } from '../../../../shared/schemas/handler.ts';
import type { MutatorDefinition } from '../../../../shared/schemas/mutator.ts';
import type { InhibitionDefinition } from '../../../../shared/schemas/inhibition.ts';
import type { PersonDefinition, ScheduleDefinition } from '../../../../shared/schemas/on-call.ts';
import type { KeepaliveSettings } from '../../../../shared/schemas/settings.ts';

/** Valid definitions by their name. */
export interface ValidDefinitions {
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly handlers: ReadonlyMap<string, HandlerDefinition>;
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly mutators: ReadonlyMap<string, MutatorDefinition>;
  readonly inhibitions: ReadonlyMap<string, InhibitionDefinition>;
  readonly people: ReadonlyMap<string, PersonDefinition>;
  readonly schedules: ReadonlyMap<string, ScheduleDefinition>;
  /** The default keepalive settings of all clients. */
  readonly keepalives: KeepaliveSettings;
}
