import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';
import type { TestRun, Verdict } from './test-run.ts';

/*
 * A program that runs test files of its working directory, one request after the other. Sources that have not changed
 * since the last request are not transformed again, and the programs are built once, at the start.
 */

const server = await createVitest('test', { watch: true, reporters: [{}], bail: 1 });
await server.standalone();

process.on('message', (request: TestRun) => {
  void run(request).then((verdict) => process.send?.(verdict));
});
process.on('disconnect', () => void server.close().finally(() => process.exit()));
process.send?.('ready');

async function run({ test, title, changed }: TestRun): Promise<Verdict> {
  for (const source of changed) server.invalidateFile(resolve(source));
  if (title === undefined) server.resetGlobalTestNamePattern();
  else server.setGlobalTestNamePattern(title);
  const file = resolve(test);
  const { testModules } = await server.runTestSpecifications(await server.getRelevantTestSpecifications([file]));
  // The result also contains the files of earlier requests.
  const modules = testModules.filter(({ moduleId }) => moduleId === file);
  const states = modules.flatMap(({ children }) => Array.from(children.allTests(), (one) => one.result().state));
  const isBroken = modules.some((module) => module.errors().length > 0);
  return {
    passed: states.filter((state) => state === 'passed').length,
    failed: states.filter((state) => state === 'failed').length + (isBroken ? 1 : 0),
  };
}
