import { randomUUID } from 'node:crypto';
import type { Batcher } from '../commit/batcher.ts';
import type { BackendStatus } from '../health/backend-status.ts';
import type { BackendOptions } from './options.ts';

/** Returns the status of this backend process. @param name the host name that operators see */
export function statusOf({ bind }: Pick<BackendOptions, 'bind'>, batcher: Batcher, name: string): BackendStatus {
  return {
    id: randomUUID(),
    hostname: name,
    address: bind,
    tasks: ['check_request_publisher', 'client_monitor', 'check_result_monitor'],
    get queuedResults() {
      return batcher.queued;
    },
    get acceptsResults() {
      return batcher.isOpen;
    },
    get isStoreOpen() {
      return !batcher.isFailing;
    },
  };
}
