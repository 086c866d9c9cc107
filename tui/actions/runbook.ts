import { safeLine } from '../../shared/domain/terminal-text.ts';
import { openMenu } from '../form/menu.ts';
import type { EventTarget } from '../model/target.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import { layerOnTop } from '../state/layer-stack.ts';
import type { Screen, ScreenView } from '../state/ports.ts';
import type { Runbook } from '../model/runbook.ts';
import { keyContext } from '../keys/key-context.ts';
import { INPUT_CONTEXTS } from '../keys/context-groups.ts';

/** Requests the runbook link of the shown event, or of the event under the cursor. */
export function requestRunbook(store: Screen): void {
  const target = targetNow(store);
  if (target === undefined) return store.say('there is no event under the cursor');
  store.request({ kind: 'load-runbook', target });
}

/**
 * Shows the link of a runbook in a menu, from which the user can copy it. The console opens no link and starts no
 * program.
 */
export function showRunbook(store: Screen, { key, client, check }: EventTarget, runbook: Runbook): void {
  if ('problem' in runbook) return store.say(runbook.problem);
  const { url } = runbook;
  const name = safeLine(`${client}/${check}`);
  // If the user has left the event or types text, keys are not meant for a menu, so a message shows the link.
  const isAwaited = !INPUT_CONTEXTS.has(keyContext(store.state)) && targetNow(store)?.key === key;
  if (!isAwaited) return store.say(`the runbook of ${name}: ${url}`);
  openMenu(store, {
    title: `Runbook of ${name}`,
    items: () => [
      {
        id: 'copy',
        label: url,
        key: 'copy',
        choose: () => store.request({ kind: 'copy', label: 'runbook', text: url }),
      },
    ],
  });
}

/** Returns the shown event, or the event under the cursor; `undefined` if no event is shown or under the cursor. */
function targetNow(store: ScreenView): EventTarget | undefined {
  return layerOnTop(store, 'detail')?.target ?? eventUnderCursor(store.state);
}
