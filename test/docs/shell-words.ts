/** One call of a program on a command line: its words, without quotes, variables that are set for it, and redirections. */
export type ShellCall = readonly string[];

/** A redirection; a quoted text (two kinds) or a plain one; what ends a call, or a comment; blanks. */
const PIECE =
  /(\d?>+&?\s*[^\s;|&]+|<\s*\S+)|"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:\$\([^)]*\)|\\.|[^\s"'|;&<>()#\\]|(?<=\S)#)+)|(\|\||&&|[|;&()]|\n|#.*)|(\s+)/gy;

/** The calls in commands for a shell, as far as pages use one. */
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
