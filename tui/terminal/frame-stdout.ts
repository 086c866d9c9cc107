import { Writable } from 'node:stream';

/** The terminal as a place for bytes. */
export interface TerminalDevice {
  /**
   * Writes what the terminal takes at once and never waits.
   *
   * @returns bytes taken; 0 when the terminal is busy
   * @throws when the terminal is gone
   */
  write(bytes: Uint8Array): number;
  close(): void;
}

/** Where the size comes from: `process.stdout`, or a fake in tests. */
export interface SizeSource {
  readonly columns: number;
  readonly rows: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** Given to Ink as `stdout`. Emits `resize`, and `idle` each time the terminal has taken everything. */
export declare class FrameStdout extends Writable {
  readonly isTTY: true;
  columns: number;
  rows: number;
  constructor(device: TerminalDevice, size: SizeSource);
  /** Whether the terminal has taken everything. Ask before each render; when false, render once at the next `idle`. */
  get idle(): boolean;
  /** Bell, OSC 52, mode changes: in order with the frames. Dropped, with `false`, when too much is waiting. */
  writeRaw(text: string): boolean;
  /** Resolves when the terminal has taken everything, or is gone. */
  drained(): Promise<void>;
}
