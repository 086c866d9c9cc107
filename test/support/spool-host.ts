// A process with an agent's spool, whose disk a test can make fail. It opens the spool in the given state directory.
// Each line of standard input is a command in JSON; the response is a line of JSON.
import { createInterface } from 'node:readline';
import { openSpool } from '../../daemon/agent/spool.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** The commands that a test can send. */
export type SpoolCommand =
  | { readonly do: 'append'; readonly results: readonly SubmittedResult[] }
  | { readonly do: 'acknowledge'; readonly id: number }
  | { readonly do: 'read'; readonly afterId: number }
  | { readonly do: 'rename'; readonly acked: number }
  | { readonly do: 'close' };

const [, , stateDir = '', unsavedCharacters = String(1024 * 1024)] = process.argv;
const spool = await openSpool(stateDir, { unsavedCharacters: Number(unsavedCharacters) });

/** Executes a command, and returns its result. */
async function run(command: SpoolCommand): Promise<unknown> {
  switch (command.do) {
    case 'append':
      return await Promise.all(command.results.map((result) => spool.append(result)));
    case 'acknowledge':
      return await spool.acknowledge(command.id);
    case 'read':
      return await spool.read(command.afterId, { results: 1000, characters: 10_000_000 });
    case 'rename':
      return await spool.rename(command.acked);
    case 'close':
      return await spool[Symbol.asyncDispose]();
  }
}

for await (const line of createInterface(process.stdin)) {
  const answer = await run(JSON.parse(line) as SpoolCommand);
  const { name, lastId, size, trouble } = spool;
  process.stdout.write(`${JSON.stringify({ answer, name, lastId, size, trouble })}\n`);
}
