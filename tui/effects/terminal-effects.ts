import type { ApiClient } from '../../shared/client/api-client.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { TerminalEffect } from '../state/effects.ts';
import { showRunbook } from '../actions/runbook.ts';
import { BELL_CHARACTER, clipboardSequence, noticeSequence } from '../terminal/clipboard.ts';
import { type EventTarget, targetName } from '../model/target.ts';
import type { Screen } from '../state/ports.ts';
import { eventMarkdown } from '../words/event-markdown.ts';
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
    /**
     * Loads a text into a buffer of the tmux in which the console runs; `undefined` outside of tmux.
     *
     * @throws Error with the message of tmux
     */
    readonly loadTmuxBuffer: ((text: string) => Promise<void>) | undefined;
  };
}

/** Rings the bell, shows a desktop notification, copies text to the clipboard, or opens the runbook of an event. */
export async function runTerminalEffect(effect: TerminalEffect, tools: TerminalTools): Promise<void> {
  const { store, terminal } = tools;
  switch (effect.kind) {
    case 'ring': {
      const notice = effect.notice === undefined ? '' : noticeSequence(effect.notice, terminal.isTmux);
      // A bell that was dropped is not repeated, because a late one is useless.
      terminal.writeRaw(`${effect.bell ? BELL_CHARACTER : ''}${notice}`);
      return;
    }
    case 'copy':
      return copyText(effect.text, effect.label, tools);
    case 'copy-event':
      return loadEventFor(effect.target, tools, (event) =>
        copyText(eventText(event, effect, store), effect.format, tools),
      );
    case 'load-runbook':
      return loadEventFor(effect.target, tools, (event) => showRunbook(store, effect.target, runbookOf(event.check)));
  }
}

/**
 * Copies a text. In tmux it goes into a buffer of tmux, because tmux in its default configuration drops the sequence
 * for the clipboard. Otherwise, and if tmux refuses it, the terminal gets the sequence.
 */
async function copyText(text: string, label: string, { store, terminal }: TerminalTools): Promise<void> {
  const { loadTmuxBuffer, isTmux } = terminal;
  let refusal = '';
  if (loadTmuxBuffer !== undefined) {
    try {
      await loadTmuxBuffer(text);
      return store.say(`${label} copied to a tmux buffer: prefix ] pastes it (also sent to the clipboard)`, 'done');
    } catch (error) {
      refusal = `; no tmux buffer: ${safeLine(errorMessage(error))}`;
    }
  }
  const sequence = clipboardSequence(text, isTmux);
  if (sequence === undefined) return store.say(`the ${label} is too long for the clipboard${refusal}`, 'problem');
  if (!terminal.writeRaw(sequence)) return store.say('not copied: the terminal is too slow; try again', 'problem');
  const tone = refusal === '' ? 'done' : 'problem';
  store.say(`${label} copied to the clipboard, if the terminal allows it${refusal}`, tone);
}

function eventText(
  event: Event,
  effect: TerminalEffect & { readonly kind: 'copy-event' },
  { options }: Screen,
): string {
  if (effect.format === 'JSON') return JSON.stringify(event, undefined, 2);
  const runbook = runbookOf(event.check);
  return eventMarkdown(event, {
    runbook: 'url' in runbook ? runbook.url : undefined,
    command: effect.command,
    nowMs: options.now(),
  });
}

async function loadEventFor(
  target: EventTarget,
  { store, api }: TerminalTools,
  act: (event: Event) => void | Promise<void>,
): Promise<void> {
  try {
    const event = await (await api()).event(target.client, target.check);
    if (event === undefined) return store.say(`${targetName(target)} is resolved`);
    await act(event);
  } catch (error) {
    store.say(`${targetName(target)} not loaded: ${errorMessage(error)}`, 'problem');
  }
}
