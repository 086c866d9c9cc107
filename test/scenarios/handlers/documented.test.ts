import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { HandlerScenario } from '../../support/handler-scenario.ts';
import { HttpReceiver } from '../../support/http-receiver.ts';
import { openLineReceiver } from '../../support/line-receiver.ts';

const DOCUMENT = await readFile(join(import.meta.dirname, '../../../docs/handlers.md'), 'utf8');

/** Returns the code blocks of one language in the chapter about handler types. */
function examples(language: string): string[] {
  const chapter = /^## Types\n(.*?)^## /ms.exec(DOCUMENT)?.[1] ?? '';
  return [...chapter.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
}

type IsSigned = (headers: object, body: string, secret: string) => boolean;

/** Returns the documented function with which a receiver verifies the signature of a webhook. */
async function documentedIsSigned(dir: string): Promise<IsSigned> {
  const file = join(dir, 'receiver.mjs');
  await writeFile(file, examples('js').join('\n'));
  const { isSigned } = (await import(pathToFileURL(file).href)) as { readonly isSigned: IsSigned };
  return isSigned;
}

test('the documented handler examples deliver to their destinations', async () => {
  const scenario = await HandlerScenario.open({});
  const [graphite, alerts, chat] = [await openLineReceiver(), await openLineReceiver(), await HttpReceiver.open()];
  const statsd = createSocket('udp4');
  onTestFinished(() => void statsd.close());
  const datagrams: string[] = [];
  statsd.on('message', (message) => datagrams.push(message.toString()));
  statsd.bind(0, '127.0.0.1');
  await once(statsd, 'listening');
  const places: readonly (readonly [string, string])[] = [
    ['/usr/local/bin/mail-ops --to ops@example.com', `cat >> ${scenario.dir}/mail`],
    ['port: 2003', `port: ${String(graphite.port)}`],
    ['port: 8125', `port: ${String(statsd.address().port)}`],
    ['https://chat.example.com/hooks/alerts', chat.url],
    ['127.0.0.1:5170', `127.0.0.1:${String(alerts.port)}`],
    ['/var/log/mon/alerts.jsonl', `${scenario.dir}/alerts.jsonl`],
  ];
  const handlers: Record<string, object> = {};
  for (const text of examples('yaml')) {
    const here = places.reduce((yaml, [documented, place]) => yaml.replace(documented, place), text);
    Object.assign(handlers, (parse(here) as { readonly handlers: object }).handlers);
  }
  await scenario.reload({
    handlers: { ...handlers, 'on-call': { type: 'set', handlers: ['graphite', 'statsd', 'alerts'] } },
  });
  // The handler "default" is the set that the page defines.
  await scenario.report(2, { output: 'disk full' });
  await scenario.settled();

  const file = (name: string): Promise<string> => readFile(join(scenario.dir, name), 'utf8');
  await vi.waitFor(() => {
    expect([graphite.received, datagrams]).toEqual([['disk full'], ['disk full']]);
    expect([alerts.received.length, chat.received.length]).toEqual([1, 1]);
  });
  const event = { action: 'create', client: { name: 'web-1' }, check: { output: 'disk full' } };
  for (const text of [
    await file('mail'),
    await file('alerts.jsonl'),
    alerts.received[0] ?? '',
    chat.received[0]?.body ?? '',
  ]) {
    expect(JSON.parse(text)).toMatchObject(event);
  }
  expect(await scenario.api.deadLetters()).toEqual([]);

  const isSigned = await documentedIsSigned(scenario.dir);
  const { headers, body } = chat.received[0] ?? { headers: {}, body: '' };
  expect(isSigned(headers, body, 'change-me')).toBe(true);
  expect(isSigned(headers, `${body} `, 'change-me')).toBe(false);
  expect(isSigned(headers, body, 'another')).toBe(false);
  expect(isSigned({}, body, 'change-me')).toBe(false);
});
