import { CONNECTION_KINDS } from './connections.ts';
import type { HostileKind } from './kind.ts';
import { REQUEST_KINDS } from './requests.ts';
import { SLOW_KINDS } from './slow.ts';
import { SOCKET_KINDS } from './sockets.ts';

export const HOSTILE_KINDS: readonly HostileKind[] = [
  ...CONNECTION_KINDS,
  ...SLOW_KINDS,
  ...SOCKET_KINDS,
  ...REQUEST_KINDS,
];
