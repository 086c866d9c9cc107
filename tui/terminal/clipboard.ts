/**
 * Maximum length in bytes before base64. All terminals with OSC 52 accept this much; xterm and tmux drop more.
 */
export const CLIPBOARD_MAX = 48 * 1024;

/**
 * Returns the sequence that copies text to the clipboard of the user's terminal, also over ssh (OSC 52).
 * Terminals send no response, so success is unknown.
 *
 * @param isTmux true under tmux, which handles the sequence itself or passes it on, depending on its settings;
 *   both are tried
 * @returns `undefined` when the text is too long
 */
export function clipboardSequence(text: string, isTmux: boolean): string | undefined {
  const bytes = Buffer.from(text);
  if (bytes.length > CLIPBOARD_MAX) return undefined;
  const sequence = `\u001B]52;c;${bytes.toString('base64')}\u0007`;
  return isTmux ? `${sequence}\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\` : sequence;
}

/** A notification of the desktop (OSC 9). The text must be safe for a terminal. */
export function noticeSequence(text: string, isTmux: boolean): string {
  const sequence = `\u001B]9;${text}\u0007`;
  // tmux only forwards a sequence that is wrapped in its own passthrough sequence.
  return isTmux ? `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\` : sequence;
}

export const BELL = '\u0007';
