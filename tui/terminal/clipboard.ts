/** Terminals that take OSC 52 at all take this much; xterm and tmux drop more. In bytes before base64. */
export const CLIPBOARD_MAX = 48 * 1024;

/**
 * What puts text into the clipboard of the terminal in front of the person, over ssh too (OSC 52). No terminal answers,
 * so nobody knows whether it did.
 *
 * @param isTmux tmux is in between: it takes the sequence itself or passes it on, as it is set up; both are tried
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
  // tmux keeps it to itself unless it is told to pass it on.
  return isTmux ? `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\` : sequence;
}

export const BELL = '\u0007';
