const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/**
 * JSON whose texts may hold control characters as they are, such as the newlines of an output that a shell script put
 * between quotes: JSON asks for escapes there, and the legacy service does not.
 *
 * @throws SyntaxError when it is not JSON for another reason
 */
export function parseJsonWithRawControls(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const escaped = escapeRawControls(text);
    if (escaped === text) throw error;
    return JSON.parse(escaped);
  }
}

/** The same JSON with escapes for the control characters in its texts. Takes time linear in the length, whatever it is. */
export function escapeRawControls(text: string): string {
  const pieces: string[] = [];
  let isInString = false;
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      isInString = !isInString;
    } else if (isInString && code < FIRST_PRINTABLE) {
      pieces.push(text.slice(copied, at), `\\u${code.toString(16).padStart(4, '0')}`);
      copied = at + 1;
    } else if (isInString && code === BACKSLASH && text.charCodeAt(at + 1) >= FIRST_PRINTABLE) {
      at++;
    }
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(copied)].join('');
}
