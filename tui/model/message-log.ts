/** Entries of the log that are kept, of the console's messages and of the audit trail each. */
export const LOG_MAX = 500;

/** A message in the log, by a number that it keeps. */
export interface LoggedMessage extends Message {
  readonly id: number;
}

/** What the console has said since it started, the newest first. */
export class MessageLog {
  #messages: readonly LoggedMessage[] = [];
  #lastId = 0;

  get newestFirst(): readonly LoggedMessage[] {
    return this.#messages;
  }

  add(message: Message): void {
    this.#lastId += 1;
    this.#messages = [{ ...message, id: this.#lastId }, ...this.#messages].slice(0, LOG_MAX);
  }
}

export interface Message {
  readonly text: string;
  readonly tone: 'done' | 'note' | 'problem';
  readonly atMs: number;
}
