import type { OwnCommand } from '../own-command.ts';
import type { SearchField } from '../search-field.ts';
import type { KeyContext } from '../key-context.ts';

/** The help screen, with the keys of the context from which the user opened it. */
export interface HelpLayer {
  readonly kind: 'help';
  readonly context: KeyContext;
  /** The commands of the user that run in this context. */
  readonly ownCommands: readonly OwnCommand[];
  /**
   * The action, or the name of the command of the user, whose binding is under the cursor. If it is `undefined` or not
   * shown, the cursor is on the first binding.
   */
  readonly at: string | undefined;
  readonly search: SearchField;
}
