import { startBackend, type BenchBackend } from './backend-process.ts';
import { BenchAgent, steadyLoop } from './bench-agent.ts';
import { postJson } from './http-line.ts';
import { formatNumber, quantileOf, reportFigure, timesOf } from './report.ts';
import { measureCpuPerResult, interleavedAgents, type ComparedBackend } from './side-by-side.ts';

const CONNECTION_COUNT = 50;
/** Target of results per second, for both backends together. */
const RESULTS_PER_SECOND = 20_000;
const WARM_UP_MS = 10_000;

const SELECTOR_COUNT = 1000;
const CLIENT_COUNT = 1000;
const CHECKS_PER_CLIENT = 100;
/** Number of silences that are created one after the other under load. */
const CREATED_SILENCES = 50;

/**
 * Measures the cost per result of 1,000 silences by selector with 100,000 open events. Two backends, with and without
 * the silences, run side by side under the same load. It also measures the time from the creation of another silence
 * until its event is shown as silenced.
 */
export async function measureSelectors(seconds: number): Promise<void> {
  await using without = await startBackend();
  await using withSilences = await startBackend();
  const sides = await Promise.all([without, withSilences].map(prepareBackend));
  for (let at = 0; at < SELECTOR_COUNT; at++) await createSilence(withSilences, selectorOf(at));

  await measureCpuPerResult(sides, WARM_UP_MS, RESULTS_PER_SECOND);
  const [plain = NaN, silenced = NaN] = await measureCpuPerResult(sides, seconds * 1000, RESULTS_PER_SECOND);
  const more = ((silenced / plain - 1) * 100).toFixed(1);
  const what = `CPU per result with ${formatNumber(SELECTOR_COUNT)} silences by search`;
  reportFigure(what, silenced, 'us', `${more} %, without ${formatNumber(plain)}; goal within 3`);

  for (const [attributes, selector] of [
    ['known attributes', (at: number) => `client=seed-${String(2 * at)} env=prod site!=x${String(at)}`],
    [
      'an attribute that nobody named before',
      (at: number) => `client=seed-${String(2 * at)} rack~r* a${String(at)}!=x`,
    ],
  ] as const) {
    const calls = attributes === 'known attributes' ? CREATED_SILENCES : 3;
    const load = { isDone: false };
    const loading = steadyLoop(interleavedAgents(sides), RESULTS_PER_SECOND / 4, () => load.isDone);
    const times = await timesOf(calls, async (at) => {
      await createSilence(withSilences, selector(at));
      await expectSilenced(withSilences, `seed-${String(2 * at)}`);
    });
    load.isDone = true;
    await loading;
    const figures = [quantileOf(times, 0.5), Math.max(...times)];
    reportFigure(
      `in force p50 / max, ${attributes}`,
      figures,
      'ms',
      calls === CREATED_SILENCES ? 'goal 100' : 'no goal',
    );
  }
  for (const { agents } of sides) for (const agent of agents) agent.close();
}

async function prepareBackend(backend: BenchBackend): Promise<ComparedBackend> {
  for (let at = 0; at < CLIENT_COUNT; at++) {
    const name = `seed-${String(at)}`;
    const attributes = {
      env: at % 2 === 0 ? 'prod' : 'test',
      site: `s${String(at % 20)}`,
      rack: `r${String(at % 50)}`,
    };
    await postJson(`${backend.url}/clients`, { name, address: '127.0.0.1', subscriptions: ['seed'], ...attributes });
    const results = Array.from({ length: CHECKS_PER_CLIENT }, (_, check) => ({
      source: name,
      name: `check-${String(check)}`,
      status: 2,
      output: 'bad',
    }));
    await postJson(`${backend.url}/api/mon/v1/results`, results);
  }
  return { backend, agents: await BenchAgent.connectAll(backend.url, CONNECTION_COUNT) };
}

/** Returns a selector; the shapes alternate. A few selectors match hundreds of events, most match none. */
function selectorOf(at: number): string {
  switch (at % 4) {
    case 0:
      return `client~seed-${String(at)}* env=prod check!=check-1`;
    case 1:
      return `subscriptions=nobody-${String(at)} or client=gone-${String(at)}`;
    case 2:
      return `site=s${String(at % 40)} check=check-${String(at)}`;
    default:
      return `client~agent-* env=e${String(at)}`;
  }
}

async function createSilence({ url }: BenchBackend, selector: string): Promise<void> {
  await postJson(`${url}/api/mon/v1/silenced`, { selector, reason: 'bench' });
}

async function expectSilenced({ url }: BenchBackend, client: string): Promise<void> {
  const event = (await (await fetch(`${url}/events/${client}/check-0`)).json()) as { silenced: boolean };
  if (!event.silenced) throw new Error(`the silence for ${client} is not in force`);
}
