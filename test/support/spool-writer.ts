// A program that a test kills. It appends results to the spool in the given directory, and prints the id of each result
// when the result is durable.
import { openSpool } from '../../daemon/agent/spool.ts';
import { printLine } from './print-line.ts';

const [, , stateDir = ''] = process.argv;
const spool = await openSpool(stateDir);
for (;;) {
  const output = `after ${String(spool.lastId)}`;
  const id = await spool.append({ name: 'disk', output, status: 0 });
  await spool.safe(id);
  printLine(String(id));
}
