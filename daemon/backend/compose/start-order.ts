/**
 * The names of the components, in the order in which they start; they stop in the reverse order. `Teardown` rejects any
 * other order. Components that the options do not need are skipped. The components of the leader start and stop within
 * `work of the leader`, see `leader-parts.ts`.
 */
export const START_ORDER = [
  // Certificates, store, lease and time stop last, because all other components use them.
  'certificates',
  'store',
  'lease',
  'time',
  // Components that write to the store stop before the change queue, which commits their last changes.
  'handling log',
  'stored definitions',
  'change queue',
  'password hashing',
  'store upgrades',
  'API keys',
  'sessions',
  'change log',
  'agents',
  'silences of events',
  'feed',
  'handler jobs',
  'loaded files',
  'changes of the configuration',
  'commands',
  'delivery',
  'check requests',
  'schedule',
  'activity',
  // The components within `work of the leader` start after `plans`, because they need the plans.
  'work of the leader',
  'following',
  'other backends',
  'connections',
  'slow peers',
  'timer lag',
  'forwarding',
  'suppressed notifications',
  'metrics',
  'plans',
  'kept events',
  'kept outputs',
  // The API stops after the WebSockets and tunnels, because it waits for all its open connections.
  'API',
  'sockets',
  'tunnels of other backends',
  'WebSockets',
  'tunnels of agents',
  'listener of agents',
  'local access',
  'configuration',
  // The membership stops first, so that another member is the leader before this member closes its listeners.
  'membership',
] as const;

/** The name of a component that starts and stops, as shown in the log. */
export type PartName = (typeof START_ORDER)[number];
