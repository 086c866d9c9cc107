/**
 * Maximum length of copied text in bytes, before it is base64-encoded. All terminals with OSC 52 accept this length;
 * xterm and tmux drop longer text.
 */
export const CLIPBOARD_MAX = 48 * 1024;

/**
 * Returns the sequence that copies text to the clipboard of the user's terminal, also over ssh (OSC 52). Terminals send
 * no response, so it is unknown whether they copied it.
 *
 * @param isTmux true if the console runs in tmux. Depending on its settings, tmux handles the sequence itself or passes
 *   it on; the result works in both cases
 * @returns the sequence; `undefined` if the text is too long
 */
export function clipboardSequence(text: string, isTmux: boolean): string | undefined {
  const bytes = Buffer.from(text);
  if (bytes.length > CLIPBOARD_MAX) return undefined;
  const sequence = `\u001B]52;c;${bytes.toString('base64')}\u0007`;
  return isTmux ? `${sequence}\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\` : sequence;
}

/** Returns the sequence that shows a desktop notification (OSC 9). The text must be safe for a terminal. */
export function noticeSequence(text: string, isTmux: boolean): string {
  const sequence = `\u001B]9;${text}\u0007`;
  // tmux only forwards a sequence that is wrapped in its own passthrough sequence.
  return isTmux ? `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\` : sequence;
}

export const BELL_CHARACTER = '\u0007';
