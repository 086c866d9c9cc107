// npm run bench -- NAME: measures the programs as they are built, on this machine, and prints figures.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const BENCHES: Readonly<Record<string, () => Promise<{ run(seconds: number, clients: number): Promise<void> }>>> = {
  agents: () => import('./bench/agents.ts'),
  api: () => import('./bench/api.ts'),
  clients: () => import('./bench/clients.ts'),
  console: () => import('./bench/console.ts'),
  handlers: () => import('./bench/handlers.ts'),
  ingest: () => import('./bench/ingest.ts'),
  stores: () => import('./bench/stores.ts'),
  upgrade: () => import('./bench/upgrade.ts'),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    clients: { type: 'string', default: '1000000' },
  },
});
const load = BENCHES[positionals[0] ?? ''];
if (load === undefined) {
  console.error(`usage: npm run bench -- NAME [--seconds N] [--clients N]\nNAME: ${Object.keys(BENCHES).join(', ')}`);
  process.exitCode = 2;
} else {
  // Where the state of what is measured goes.
  await mkdir(fileURLToPath(new URL('../build/', import.meta.url)), { recursive: true });
  await (await load()).run(Number(values.seconds), Number(values.clients));
}
