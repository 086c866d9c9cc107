/** Maximum number of entries in the log, counted separately for the console's messages and for audit records. */
export const LOG_MAX = 500;

/** A message in the log. Its `id` never changes. */
export interface LoggedMessage extends ConsoleMessage {
  readonly id: number;
}

/** The messages of the console since its start, the newest first. */
export class MessageLog {
  #messages: readonly LoggedMessage[] = [];
  #lastId = 0;

  get newestFirst(): readonly LoggedMessage[] {
    return this.#messages;
  }

  add(message: ConsoleMessage): void {
    this.#lastId += 1;
    this.#messages = [{ ...message, id: this.#lastId }, ...this.#messages].slice(0, LOG_MAX);
  }
}

export interface ConsoleMessage {
  readonly text: string;
  readonly tone: 'done' | 'note' | 'problem';
  readonly atMs: number;
}
