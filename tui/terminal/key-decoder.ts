import type { InputEvent } from './input-event.ts';

/** Calls `task` once after `delayMs`, unless disposed of first. */
export type Delay = (delayMs: number, task: () => void) => Disposable;

export declare class KeyDecoder implements Disposable {
  constructor(options: { readonly emit: (event: InputEvent) => void; readonly after?: Delay });
  feed(chunk: Uint8Array | string): void;
  [Symbol.dispose](): void;
}
