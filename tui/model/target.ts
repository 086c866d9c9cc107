import { eventKey } from '../../shared/domain/event-key.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';

/** The event of an action, fixed when its key was pressed. */
export interface Target {
  readonly key: string;
  readonly client: string;
  readonly check: string;
}

/** Splits the key of an event. This is unambiguous, because names cannot contain a slash. */
export function targetOf(key: string): Target {
  const slash = key.indexOf('/');
  const client = key.slice(0, slash);
  const check = key.slice(slash + 1);
  return { key: eventKey(client, check), client, check };
}

export function targetName(target: Target): string {
  return safeLine(`${target.client}/${target.check}`);
}
