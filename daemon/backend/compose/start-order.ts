/**
 * The parts of the backend that start and stop, in the order in which they start; they stop in the reverse order.
 * `Teardown` rejects any other order. A part that the options do not need is left out. The parts of the leader start
 * and stop within `work of the leader`, see `leader-parts.ts`.
 */
export const START_ORDER = [
  // The foundation stops last, because all other parts use it.
  'certificates',
  'store',
  'lease',
  'time',
  // All parts that write stop before the change queue, which commits what they have left.
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
  // Its own parts start after the plans, which they need.
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
  // The API waits for its responses in progress, and these for the WebSockets and tunnels that stop before it.
  'API',
  'sockets',
  'tunnels of other backends',
  'WebSockets',
  'tunnels of agents',
  'listener of agents',
  'local access',
  'configuration',
  // Stops first, so that another member is the leader before this one closes its listeners.
  'membership',
] as const;

/** The name of a part, as in the log. */
export type PartName = (typeof START_ORDER)[number];
