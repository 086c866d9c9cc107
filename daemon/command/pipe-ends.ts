/** The direction of a pipe: whether the command reads from it or writes to it. */
export type PipeUse = 'command reads' | 'command writes';

/**
 * The file descriptors of both ends of a pipe: `child` for the command, `own` for this program. Only `child` is
 * blocking, as commands expect.
 */
export interface PipeEnds {
  readonly child: number;
  readonly own: number;
}
