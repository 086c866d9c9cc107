/** The source file of a program, and how the program is started. */
export interface Program {
  readonly source: string;
  /** True for interactive programs. Their compiled code is cached beside the program, so that they start faster. */
  readonly startsOften?: boolean;
  readonly nodeFlags?: string;
  /**
   * Percentage by which the heap may grow before a garbage collection. The program applies the value itself, because
   * not all Node.js versions support it as a flag.
   */
  readonly heapGrowth?: number;
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  // The young generation (V8's heap for new objects) holds a few frames, from the start. With 8 MiB, a storm fills it
  // while all its frames are still referenced, so V8 moves them to the old generation; 16 MiB save a fifth of the CPU.
  // `heapGrowth` limits the garbage that replaced rows leave in the old generation: after 100 s of 5,000 changes/s,
  // memory is 225 MiB instead of 360 MiB, for the same CPU.
  mon: {
    source: 'tui/main.tsx',
    startsOften: true,
    nodeFlags: '--max-semi-space-size=16 --min-semi-space-size=16',
    heapGrowth: 50,
  },
  monctl: { source: 'tui/monctl/main.ts', startsOften: true },
  'mon-agent': { source: 'daemon/agent/main.ts' },
  // `mon-backend` starts this program from its own directory; users do not.
  'command-process': { source: 'daemon/command/command-process.ts' },
  // The backend runs this program in a separate thread, which hashes passwords.
  'bcrypt-thread': { source: 'daemon/backend/access/bcrypt-thread.ts' },
  // The young generation (V8's heap for new objects) holds several batches of results, so that most results are garbage
  // at its next collection. Without `--no-allocation-site-pretenuring`, V8 would conclude from the start, when all
  // results stay, that results belong in the old generation, at a tenth to a fifth more CPU per result.
  'mon-backend': {
    source: 'daemon/backend/main.ts',
    nodeFlags: '--no-allocation-site-pretenuring --max-semi-space-size=64 --min-semi-space-size=64',
  },
};
