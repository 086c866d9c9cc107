/** What a command does with its end of a pipe. */
export type PipeUse = 'command reads' | 'command writes';

/** Descriptors of the two ends of a pipe. The end of the command blocks, as commands expect. */
export interface PipeEnds {
  readonly child: number;
  readonly own: number;
}
