/** The words of one shell command, without quotes, variable assignments and redirections. */
export type ShellCall = readonly string[];

/**
 * Matches one token of shell text: a redirection, a text in double or single quotes, an unquoted text, the end of a
 * command or a comment, or white space.
 */
const PIECE =
  /(\d?>+&?\s*[^\s;|&]+|<\s*\S+)|"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:\$\([^)]*\)|\\.|[^\s"'|;&<>()#\\]|(?<=\S)#)+)|(\|\||&&|[|;&()]|\n|#.*)|(\s+)/gy;

/** Returns the commands in a shell text. It supports only the syntax that the documentation uses. */
export function callsIn(commands: string): readonly ShellCall[] {
  const calls: string[][] = [[]];
  let isJoined = false;
  for (const [, , double, single, plain, end] of commands.replaceAll('\\\n', ' ').matchAll(PIECE)) {
    const text = double ?? single ?? plain;
    const call = calls.at(-1) ?? [];
    if (text !== undefined && isJoined) call.push(`${call.pop() ?? ''}${text}`);
    else if (text !== undefined) call.push(text);
    else if (end !== undefined) calls.push([]);
    isJoined = text !== undefined;
  }
  return calls.map((call) => withoutVariables(call)).filter((call) => call.length > 0);
}

function withoutVariables(call: readonly string[]): ShellCall {
  const first = call.findIndex((word) => !/^(?:\w+=.*|until|while|if|do|then|else|exec|export)$/.test(word));
  return first === -1 ? [] : call.slice(first);
}
