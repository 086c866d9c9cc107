import { formatDuration } from '../../shared/domain/duration.ts';
import { namesOfEnded, undoText } from '../words/changes.ts';
import { openConfirmation, namesWithinLimit } from '../form/confirm.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen, ConsoleHistory } from '../state/ports.ts';

/** Opens a dialog that asks whether to undo the user's last change, and lists the exact effect. */
export function confirmUndo(store: Screen & ConsoleHistory & Pick<LiveData, 'silenced'>): void {
  const nowMs = store.options.now();
  const { change, since } = store.ownChanges.last(nowMs);
  const [irrevocable] = since.toReversed();
  if (change === undefined) {
    const why = irrevocable === undefined ? 'you changed nothing in the last 10 minutes' : irrevocable.message;
    return store.say(irrevocable === undefined ? `nothing to undo: ${why}` : `cannot be undone: ${why}`);
  }
  const ago = (atMs: number): string => `${formatDuration((nowMs - atMs) / 1000)} ago`;
  const names = namesOfEnded(change.operations, store.silenced);
  // If the last change cannot be undone, the dialog offers an earlier change. The cancel button then has the focus, so
  // that Enter does not undo a change that the user did not mean.
  const isEarlier = irrevocable !== undefined;
  openConfirmation(store, {
    title: isEarlier ? 'The last change cannot be undone' : 'Undo the last change',
    lines: [
      ...(isEarlier ? [`cannot be undone: ${irrevocable.message} (${ago(irrevocable.atMs)})`] : []),
      `${isEarlier ? 'an earlier change can be: ' : ''}${change.message} (${ago(change.atMs)})`,
      ...namesWithinLimit(change.operations.map((operation) => undoText(operation, nowMs, names))),
      'Later changes by others are kept.',
    ],
    button: isEarlier ? 'Undo the earlier change' : 'Undo',
    ...(isEarlier && { focused: 'cancel' }),
    count: change.operations.length,
    effect: { kind: 'change', change: { verb: 'undo', operations: change.operations }, undoes: change.id },
  });
}
