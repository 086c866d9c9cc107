import { KEEPALIVE_SECONDS } from '../../shared/schemas/agent.ts';
import type { Clock } from '../clock/clock.ts';

/**
 * Calls `send` every 20 seconds (completion 1.10), but not at the start: the first keepalive is sent in response to the
 * `welcome` message of the backend.
 */
export function sendKeepalives(clock: Clock, send: () => void): Disposable {
  return clock.every(KEEPALIVE_SECONDS * 1000, send);
}
