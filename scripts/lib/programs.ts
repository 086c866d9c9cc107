/** How a program is made of its sources, and started. */
export interface Program {
  readonly source: string;
  /**
   * People wait for its start: the compiled code is kept beside the program for the next one.
   */
  readonly startsOften?: boolean;
  readonly nodeFlags?: string;
  /** By how many percent the heap may grow until garbage is looked for. Set by the program itself: not all Nodes know it. */
  readonly heapGrowth?: number;
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  // A nursery for what a few frames make: in one of 8 MiB every frame of a storm is still alive when it is full, and all of
  // it is kept with what is old. A fifth less CPU for 8 MiB more. As large from the start on, it is not full before the first
  // frame.
  // Each change leaves the row before it as garbage among what is old: 360 MiB after 100 s of 5,000 changes/s without a
  // bound, 225 with this one, for the same CPU.
  mon: {
    source: 'tui/main.tsx',
    startsOften: true,
    nodeFlags: '--max-semi-space-size=16 --min-semi-space-size=16',
    heapGrowth: 50,
  },
  monctl: { source: 'tui/monctl/main.ts', startsOften: true },
  'mon-agent': { source: 'daemon/agent/main.ts' },
  // No program for people: `mon-backend` starts it, from beside itself.
  'command-process': { source: 'daemon/command/command-process.ts' },
  // As that: passwords are hashed in a thread of their own.
  'bcrypt-thread': { source: 'daemon/backend/access/bcrypt-thread.ts' },
  // Results live for one batch: with room for several batches, most are gone before anybody looks for garbage. V8 must not
  // guess otherwise from a start, when all that comes stays: it would make results among what is old for good, where each keeps alive
  // what it points to, a fifth of all, until the whole heap is searched. A tenth to a fifth more CPU per result.
  'mon-backend': {
    source: 'daemon/backend/main.ts',
    nodeFlags: '--no-allocation-site-pretenuring --max-semi-space-size=64 --min-semi-space-size=64',
  },
};
