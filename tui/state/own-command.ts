/** The kinds of objects on which a command of the user can run. */
export const COMMAND_SUBJECTS = ['event', 'client', 'check'] as const;
export type CommandSubject = (typeof COMMAND_SUBJECTS)[number];

/** A command of the user: a program that runs with attributes of the object under the cursor. */
export interface OwnCommand {
  readonly name: string;
  /** The key as a chord, such as `f5` or `ctrl-o`; `undefined` if the command has none. */
  readonly key: string | undefined;
  readonly description: string;
  /** The kinds of objects on which the command runs. */
  readonly subjects: readonly CommandSubject[];
  /** A filter in the language of the list of the object; the command only runs if it matches. Empty: it always runs. */
  readonly when: string;
  /** The program and its arguments, with placeholders such as `{{client.address}}` in the arguments. */
  readonly words: readonly [program: string, ...args: string[]];
  /** True if the program runs beside the console, which shows its outcome; otherwise it gets the terminal. */
  readonly isBackground: boolean;
  /** True if the program changes nothing, so that it also runs in a read-only console. */
  readonly isReadOnly: boolean;
  /** True if the console waits for Enter after a program that had the terminal. */
  readonly isWaiting: boolean;
}

/** The object on which a command of the user runs. The name of an event is its key, `client/check`. */
export interface CommandTarget {
  readonly kind: CommandSubject;
  readonly name: string;
}
