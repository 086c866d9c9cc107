import { KEEPALIVE_SECONDS } from '../../shared/schemas/agent.ts';
import type { Clock } from './ports.ts';

/** Calls `send` every twenty seconds (completion 1.10); the first one goes out when the backend says welcome. */
export function sendKeepalives(clock: Clock, send: () => void): Disposable {
  return clock.every(KEEPALIVE_SECONDS * 1000, send);
}
