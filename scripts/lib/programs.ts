/** The source of a program and how it is started. */
export interface Program {
  readonly source: string;
  /** True for interactive programs: their compiled code is cached beside the program. */
  readonly startsOften?: boolean;
  readonly nodeFlags?: string;
  /**
   * Percentage by which the heap may grow before garbage collection. The program sets it itself, because not
   * all Node versions support it as a flag.
   */
  readonly heapGrowth?: number;
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  // A young generation for the objects of a few frames. With 8 MiB, every frame of a storm is still alive when
  // it is full, and is moved to the old generation. Another 8 MiB save a fifth of the CPU. At full size from the
  // start, it does not fill up before the first frame. Each change leaves the previous row as garbage in the
  // old generation. Memory after 100 s of 5,000 changes/s is 360 MiB without a growth limit and 225 with this
  // one, for the same CPU.
  mon: {
    source: 'tui/main.tsx',
    startsOften: true,
    nodeFlags: '--max-semi-space-size=16 --min-semi-space-size=16',
    heapGrowth: 50,
  },
  monctl: { source: 'tui/monctl/main.ts', startsOften: true },
  'mon-agent': { source: 'daemon/agent/main.ts' },
  // Users do not start this program: `mon-backend` starts it from its own directory.
  'command-process': { source: 'daemon/command/command-process.ts' },
  // The backend starts this program too: it hashes passwords in a separate thread.
  'bcrypt-thread': { source: 'daemon/backend/access/bcrypt-thread.ts' },
  // Results live for one batch. With room for several batches, most are dead before a garbage collection. V8
  // must not conclude otherwise from a start, when all results stay. It would allocate results in the old
  // generation permanently. There each keeps its references alive, a fifth of all, until a full collection, at
  // a tenth to a fifth more CPU per result.
  'mon-backend': {
    source: 'daemon/backend/main.ts',
    nodeFlags: '--no-allocation-site-pretenuring --max-semi-space-size=64 --min-semi-space-size=64',
  },
};
