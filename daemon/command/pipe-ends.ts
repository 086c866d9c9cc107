/** The direction of a pipe, from the view of the command. */
export type PipeUse = 'command reads' | 'command writes';

/** The descriptors of the two ends of a pipe. The end of the command blocks, as commands expect. */
export interface PipeEnds {
  readonly child: number;
  readonly own: number;
}
