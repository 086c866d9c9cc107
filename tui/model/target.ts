import { eventKey } from '../../shared/domain/event-key.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';

/** The event that an action is about, fixed when its key was pressed. */
export interface Target {
  readonly key: string;
  readonly client: string;
  readonly check: string;
}

/** Names cannot hold a slash, so the key of an event is read back without a doubt. */
export function targetOf(key: string): Target {
  const slash = key.indexOf('/');
  const client = key.slice(0, slash);
  const check = key.slice(slash + 1);
  return { key: eventKey(client, check), client, check };
}

export function nameOf(target: Target): string {
  return safeLine(`${target.client}/${target.check}`);
}
