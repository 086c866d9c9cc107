import type { ApiClient } from '../../shared/client/api-client.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { TerminalEffect } from '../state/effects.ts';
import { showRunbook } from '../actions/runbook.ts';
import { BELL, clipboardSequence, noticeSequence } from '../terminal/clipboard.ts';
import { type Target, targetName } from '../model/target.ts';
import type { Screen } from '../state/ports.ts';
import { runbookOf } from '../model/runbook.ts';

export interface TerminalTools {
  readonly store: Screen;
  readonly api: () => Promise<Pick<ApiClient, 'event'>>;
  readonly terminal: {
    /**
     * Writes text to the terminal between two frames.
     *
     * @returns false if the text was dropped, because the terminal does not keep up
     */
    writeRaw(text: string): boolean;
    /** True if the console runs in tmux. */
    readonly isTmux: boolean;
  };
}

/** Rings the bell, shows a desktop notification, copies text to the clipboard, or opens the runbook of an event. */
export async function runTerminalEffect(effect: TerminalEffect, tools: TerminalTools): Promise<void> {
  const { store, terminal } = tools;
  switch (effect.kind) {
    case 'ring': {
      const notice = effect.notice === undefined ? '' : noticeSequence(effect.notice, terminal.isTmux);
      // A bell that was dropped is not repeated, because a late one is useless.
      terminal.writeRaw(`${effect.bell ? BELL : ''}${notice}`);
      return;
    }
    case 'copy':
      return copy(effect.text, effect.label, tools);
    case 'copy-event':
      return withEvent(effect.target, tools, (event) => copy(JSON.stringify(event, undefined, 2), 'JSON', tools));
    case 'load-runbook':
      return withEvent(effect.target, tools, (event) => showRunbook(store, effect.target, runbookOf(event.check)));
  }
}

function copy(text: string, label: string, { store, terminal }: TerminalTools): void {
  const sequence = clipboardSequence(text, terminal.isTmux);
  if (sequence === undefined) return store.say(`the ${label} is too long for the clipboard`, 'problem');
  if (!terminal.writeRaw(sequence)) return store.say('not copied: the terminal is too slow; try again', 'problem');
  store.say(`${label} copied, if the terminal allows it`, 'done');
}

async function withEvent(
  target: Target,
  { store, api }: TerminalTools,
  act: (event: NonNullable<Awaited<ReturnType<ApiClient['event']>>>) => void,
): Promise<void> {
  try {
    const event = await (await api()).event(target.client, target.check);
    if (event === undefined) return store.say(`${targetName(target)} is resolved`);
    act(event);
  } catch (error) {
    store.say(`${targetName(target)} not loaded: ${errorMessage(error)}`, 'problem');
  }
}
