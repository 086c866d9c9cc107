import { eventKey } from '../../shared/domain/event-key.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';

/** The event that an action applies to, fixed when the key of the action was pressed. */
export interface EventTarget {
  readonly key: string;
  readonly client: string;
  readonly check: string;
}

/** Splits the key of an event (`client/check`) into its names, which cannot contain a slash. */
export function targetOf(key: string): EventTarget {
  const slash = key.indexOf('/');
  const client = key.slice(0, slash);
  const check = key.slice(slash + 1);
  return { key: eventKey(client, check), client, check };
}

export function targetName(target: EventTarget): string {
  return safeLine(`${target.client}/${target.check}`);
}
