import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FeedPeer } from '../support/feed-peer.ts';
import { HandlerScenario } from '../support/handler-scenario.ts';
import { openLineReceiver } from '../support/line-receiver.ts';
import { send } from '../support/raw-http.ts';
import { normalized } from './compare.ts';
import { readScenario, recordedSettings, type Line } from './scenario.ts';

/**
 * The recorded lines with the deliveries of Sensu Core to handlers. This test compares what handlers receive;
 * conformance.test.ts tests that the right handlers run.
 */
const LINES = readScenario('events');

let scenario: HandlerScenario;
let datagrams: string[];
let connections: readonly string[];

/** Loads the recorded definitions with the addresses and files of this test. */
beforeEach(async () => {
  scenario = await HandlerScenario.open({});
  const tcp = await openLineReceiver();
  connections = tcp.received;
  const udp = createSocket('udp4');
  onTestFinished(() => void udp.close());
  datagrams = [];
  udp.on('message', (message) => datagrams.push(message.toString()));
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const text = JSON.stringify(recordedSettings())
    .replaceAll(/out\/(\w+)\.log/g, (_, name: string) => `${scenario.dir}/${name}.lines`)
    .replaceAll('16998', String(tcp.port))
    .replaceAll('16997', String(udp.address().port));
  await scenario.reload(JSON.parse(text) as Record<string, unknown>);
});

/**
 * Sends all requests of a recorded case before its observation `what`, and returns the recorded data of the
 * observation.
 */
async function replayCase(title: string, what: string): Promise<Extract<Line, { readonly kind: 'observe' }>['data']> {
  for (const line of LINES) {
    if (line.case !== title) continue;
    if (line.kind === 'observe' && line.what === what) {
      await scenario.settled();
      return line.data;
    }
    if (line.kind === 'exchange') await send(scenario.url, { ...line.request, target: line.request.path });
  }
  throw new Error(`${what} was not observed in ${title}`);
}

async function linesWrittenBy(handler: string): Promise<string[]> {
  const text = await readFile(join(scenario.dir, `${handler}.lines`), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Parses texts and replaces varying values by their types. The order of attributes is compared too. */
function comparable(texts: readonly string[]): unknown[] {
  return texts.map((text) => {
    const start = text.indexOf('{');
    if (start === -1) return text;
    const event = JSON.parse(text.slice(start)) as object;
    return [text.slice(0, start), Object.keys(event), normalized(event, '')];
  });
}

describe('the deliveries of handlers', () => {
  test.each([
    ['only_check_output mutator', 'onlyout'],
    ['pipe mutator', 'mutated'],
    ['failing mutator', 'badmut'],
    ['unknown mutator', 'nomut'],
  ])('the handler output of the case "%s" equals the recorded output of Sensu Core', async (title, handler) => {
    const recorded = (await replayCase(title, `handler:${handler}`)) as readonly string[];
    expect(comparable(await linesWrittenBy(handler))).toEqual(comparable(recorded));
  });

  interface Received {
    readonly raw_ends_with_newline: boolean;
    readonly event: object;
  }

  test.each<[title: string, received: () => readonly string[]]>([
    ['tcp handler', () => connections],
    ['udp handler', () => datagrams],
  ])('the event that the %s sends equals the recorded event of Sensu Core', async (title, received) => {
    const recorded = (await replayCase(title, 'received')) as Received;
    await vi.waitFor(() => expect(received()).toHaveLength(1));
    expect(comparable(received())).toEqual(comparable([JSON.stringify(recorded.event)]));
    expect(received()[0]?.endsWith('\n')).toBe(recorded.raw_ends_with_newline);
  });

  test('the event that the transport handler publishes equals the recorded event of Sensu Core', async () => {
    const listener = await FeedPeer.subscribe(scenario.url, { topics: [], transports: ['events_out'] });
    onTestFinished(() => listener.socket.terminate());
    const hears = (type: 'live' | 'message'): Promise<void> =>
      vi.waitFor(() => {
        scenario.clock.advance(100);
        expect(listener.all(type)).toHaveLength(1);
      });
    await hears('live');
    const recorded = (await replayCase('transport handler', 'transport list events_out')) as readonly object[];
    await hears('message');
    const heard = listener.all('message').map(({ data }) => data);
    expect(comparable(heard)).toEqual(comparable(recorded.map((event) => JSON.stringify(event))));
  });
});
