import { safeLine } from '../../shared/domain/terminal-text.ts';
import { openMenu } from '../form/menu.ts';
import type { Target } from '../model/target.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import type { Screen, Says, Asks, Shown } from '../state/ports.ts';
import type { Runbook } from '../model/runbook.ts';

/** `b`: the runbook of the event that is shown, or under the cursor. */
export function askRunbook(store: Shown & Says & Asks): void {
  const layer = store.state.layers.at(-1);
  const target = layer?.kind === 'detail' ? layer.target : eventUnderCursor(store.state);
  if (target === undefined) return store.say('there is no event under the cursor');
  store.request({ kind: 'load-runbook', target });
}

/** Shows it; choosing it copies it. No program is started: what opens a link is up to the terminal and to people. */
export function showRunbook(store: Screen & Says & Asks, { client, check }: Target, runbook: Runbook): void {
  if ('problem' in runbook) return store.say(runbook.problem);
  const { url } = runbook;
  openMenu(store, {
    title: `Runbook of ${safeLine(`${client}/${check}`)}`,
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
