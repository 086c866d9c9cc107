import { KEEPALIVE_SECONDS } from '../../shared/schemas/agent.ts';
import type { Clock } from '../clock/clock.ts';

/**
 * Calls `send` every twenty seconds (completion 1.10). The first keepalive is sent at the welcome of the backend
 * instead.
 */
export function sendKeepalives(clock: Clock, send: () => void): Disposable {
  return clock.every(KEEPALIVE_SECONDS * 1000, send);
}
