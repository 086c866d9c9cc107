// npm run bench -- NAME: runs a benchmark of the built programs on this machine and prints its figures.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runBenchmarks } from './bench/all.ts';
import { printComparison } from './bench/compare.ts';
import type { BenchSizes } from './bench/bench-sizes.ts';
import { reportedFigures } from './bench/report.ts';
import { readArguments, refuseArguments } from './lib/read-arguments.ts';

type RunBench = (seconds: number, sizes: BenchSizes) => Promise<void>;

const BENCHES_BY_NAME: Readonly<Record<string, () => Promise<RunBench>>> = {
  agents: async () => (await import('./bench/agents.ts')).measureAgents,
  api: async () => (await import('./bench/api.ts')).measureApi,
  clients: async () => (await import('./bench/clients.ts')).measureClients,
  cluster: async () => (await import('./bench/cluster.ts')).measureCluster,
  console: async () => (await import('./bench/console.ts')).measureConsole,
  groups: async () => (await import('./bench/groups.ts')).measureGroups,
  handlers: async () => (await import('./bench/handlers.ts')).measureHandlers,
  ingest: async () => (await import('./bench/ingest.ts')).measureIngest,
  peers: async () => (await import('./bench/peers.ts')).measurePeers,
  selectors: async () => (await import('./bench/selectors.ts')).measureSelectors,
  start: async () => (await import('./bench/start.ts')).measureStart,
  stalls: async () => (await import('./bench/stalls.ts')).measureStalls,
  stores: async () => (await import('./bench/stores.ts')).measureStores,
  timeline: async () => (await import('./bench/timeline.ts')).measureTimeline,
  travel: async () => (await import('./bench/travel.ts')).measureTravel,
  turns: async () => (await import('./bench/turns.ts')).compareClones,
  upgrade: async () => (await import('./bench/upgrade.ts')).measureUpgrade,
};
const BENCH_NAMES = Object.keys(BENCHES_BY_NAME);

const BUILD_DIRECTORY = fileURLToPath(new URL('../build/', import.meta.url));
const USAGE_TEXT = `usage: npm run bench -- NAME [--seconds N] [--SIZE N] [--peer KIND=URL] [--part PART] [--json FILE]
       npm run bench -- turns [--other DIR] [--part PART]
       npm run bench -- all [--only NAME,NAME] [--json FILE]
       npm run bench -- compare FILE FILE
NAME: ${BENCH_NAMES.join(', ')}
--clients: in the store of 'clients'
--results: in the store of 'start', and of the part of 'turns' of that name
--agents, --keys, --rate: of 'cluster': agents of each member, results in the store, results per second at each writer
--transitions: of the week of 'travel'
--part: instead of all, of 'cluster' cost, agents or keys, of 'turns' load, lists, start or console; may be given again
--peer KIND=URL: a server that runs already, for peers, with KIND alertmanager, v1 or v2; may be given again
--other: of 'turns': another clone of the project, whose programs are measured in turns with those of this; default: this one,
  which tells how much the figures vary by themselves
--json: where the figures go as well; default of 'all': build/bench.json`;

const SIZE_OPTIONS = {
  seconds: { type: 'string', default: '8' },
  clients: { type: 'string', default: '1000000' },
  results: { type: 'string', default: '1000000' },
  agents: { type: 'string', default: '13000' },
  keys: { type: 'string', default: '1000000' },
  rate: { type: 'string', default: '4000' },
  transitions: { type: 'string', default: '5000000' },
} as const;
type ParsedSizes = Readonly<Record<keyof typeof SIZE_OPTIONS, number>>;

const { positionals, values } = readArguments(
  {
    allowPositionals: true,
    options: {
      ...SIZE_OPTIONS,
      part: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      other: { type: 'string' },
      peer: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', default: BENCH_NAMES.filter((name) => name !== 'turns').join(',') },
    },
  },
  USAGE_TEXT,
);
const [name = '', ...files] = positionals;
const { part: parts, peer: peers, other, json } = values;
const sizeNames = Object.keys(SIZE_OPTIONS) as (keyof typeof SIZE_OPTIONS)[];
const sizes = Object.fromEntries(sizeNames.map((size) => [size, Number(values[size])])) as ParsedSizes;
if (sizeNames.some((size) => !(sizes[size] > 0))) refuseArguments(USAGE_TEXT);
const loadBench = BENCHES_BY_NAME[name];
const selectedNames = values.only.split(',');
// Child processes are stopped by exit handlers, so exit on these signals.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Directory for the state of the benchmarked programs.
await mkdir(BUILD_DIRECTORY, { recursive: true });
if (loadBench !== undefined && files.length === 0) {
  await (
    await loadBench()
  )(sizes.seconds, { ...sizes, parts, peers, other });
  if (json !== undefined) await writeFile(json, JSON.stringify(reportedFigures()));
} else if (name === 'all' && files.length === 0 && selectedNames.every((one) => one in BENCHES_BY_NAME)) {
  await runBenchmarks(
    selectedNames,
    json ?? `${BUILD_DIRECTORY}bench.json`,
    sizeNames.flatMap((size) => [`--${size}`, values[size]]),
  );
} else if (name === 'compare' && files[0] !== undefined && files[1] !== undefined) {
  await printComparison(files[0], files[1]);
} else {
  refuseArguments(USAGE_TEXT);
}
