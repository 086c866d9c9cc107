/** The words of one command, without quotes, variable assignments and redirections. */
export type ShellCall = readonly string[];

/** Matches a redirection, a quoted text (two kinds) or a plain one, the end of a command, a comment, or blanks. */
const PIECE =
  /(\d?>+&?\s*[^\s;|&]+|<\s*\S+)|"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:\$\([^)]*\)|\\.|[^\s"'|;&<>()#\\]|(?<=\S)#)+)|(\|\||&&|[|;&()]|\n|#.*)|(\s+)/gy;

/** Returns the commands of a shell text. Supports only the syntax that the pages use. */
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
