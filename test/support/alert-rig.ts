import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { LabelMatcher } from '../../shared/domain/label-matchers.ts';
import type { ShownAlert, ShownSilence } from '../../shared/schemas/alert.ts';
import { HttpReceiver } from './http-receiver.ts';
import { ManualClock } from './manual-clock.ts';
import { openBackend } from './open-backend.ts';
import { tempDir } from './temp-dir.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A backend with a recording handler, used over the Alertmanager API. */
export interface AlertRig {
  readonly clock: ManualClock;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Sends alerts with these labels, as Prometheus does. They end after an hour. */
  readonly send: (...labelSets: readonly Readonly<Record<string, string>>[]) => Promise<Answer>;
  /** Creates a silence that lasts an hour, and returns its id. */
  readonly silence: (matchers: readonly LabelMatcher[], over?: object) => Promise<string>;
  readonly alerts: (query?: string) => Promise<readonly ShownAlert[]>;
  readonly silences: () => Promise<readonly ShownSilence[]>;
  /**
   * Waits until the handler got the pending notifications, and expects exactly these events since the last call, as
   * `client/check` in any order.
   */
  readonly expectHandled: (...events: readonly string[]) => Promise<void>;
  /** Waits until the handler got the pending notifications, and excludes them from the next `expectHandled`. */
  readonly forgetHandled: () => Promise<void>;
  readonly at: (seconds: number) => string;
  /** Restarts the backend with the same store, by default with the same settings. */
  readonly restart: (settings?: object) => Promise<void>;
}

export const equal = (name: string, value: string): LabelMatcher => ({ name, value, isRegex: false, isEqual: true });
export const unequal = (name: string, value: string): LabelMatcher => ({ ...equal(name, value), isEqual: false });
export const pattern = (name: string, value: string): LabelMatcher => ({ ...equal(name, value), isRegex: true });
export const noPattern = (name: string, value: string): LabelMatcher => ({ ...pattern(name, value), isEqual: false });

export async function openAlertRig(settings: object = {}): Promise<AlertRig> {
  const clock = new ManualClock();
  const dir = await tempDir();
  const receiver = await HttpReceiver.open();
  const open = async (over: object): Promise<Awaited<ReturnType<typeof openBackend>>> => {
    const file = join(dir, 'config.json');
    const handlers = {
      default: { type: 'webhook', url: receiver.url },
      marker: { type: 'webhook', url: receiver.url, handle_silenced: true },
    };
    await writeFile(file, JSON.stringify({ handlers, ...over }));
    const definitions = await loadConfig({ file, directories: [], env: {} });
    return openBackend({ dir: join(dir, 'store'), clock, batcher: { batchLimit: 1 }, definitions });
  };
  let backend = await open(settings);
  onTestFinished(() => backend.stop());
  const ask: AlertRig['ask'] = async (method, path, body) => {
    const answer = await fetch(backend.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, body: isJson && text !== '' ? (JSON.parse(text) as unknown) : text };
  };
  const at: AlertRig['at'] = (seconds) => new Date(clock.now() + seconds * 1000).toISOString();
  let seen = 0;
  let markers = 0;
  /**
   * Waits until the handler got all notifications for the events so far, and `check` does not throw.
   *
   * @param check callback that throws while expected events are missing; it gets the events as `client/check`
   */
  const handledUntilNow = async (check: (events: readonly string[]) => void): Promise<void> => {
    // The marker is a new event that no silence covers. When it was handled, all earlier events were.
    const marker = `marker/last-${String(++markers)}`;
    const result = { source: 'marker', name: marker.slice('marker/'.length), output: '', handlers: ['marker'] };
    await ask('POST', '/results', { ...result, status: 1 });
    await vi.waitFor(
      () => {
        const handled = receiver.received.slice(seen).map(({ body }) => {
          const { client, check: checked } = JSON.parse(body) as { client: { name: string }; check: { name: string } };
          return `${client.name}/${checked.name}`;
        });
        if (!handled.includes(marker)) throw new Error('the marker was not handled yet');
        check(handled.filter((event) => !event.startsWith('marker/')));
      },
      { timeout: 4000 },
    );
    seen = receiver.received.length;
    await ask('POST', '/results', { ...result, status: 0 });
  };
  return {
    clock,
    ask,
    at,
    send: (...labelSets) =>
      ask(
        'POST',
        '/api/v2/alerts',
        labelSets.map((labels) => ({ labels, endsAt: at(3600) })),
      ),
    async silence(matchers, over = {}) {
      const silence = { matchers, startsAt: at(0), endsAt: at(3600), createdBy: 'ada', comment: 'works', ...over };
      const { status, body } = await ask('POST', '/api/v2/silences', silence);
      if (status !== 200) throw new Error(String(body));
      return (body as { readonly silenceID: string }).silenceID;
    },
    alerts: async (query = '') => (await ask('GET', `/api/v2/alerts?${query}`)).body as readonly ShownAlert[],
    silences: async () => (await ask('GET', '/api/v2/silences')).body as readonly ShownSilence[],
    async expectHandled(...events) {
      await handledUntilNow((handled) => {
        const [found, expected] = [handled.toSorted().join(' '), events.toSorted().join(' ')];
        if (found !== expected) throw new Error(`handled: ${found}; expected: ${expected}`);
      });
    },
    forgetHandled: () => handledUntilNow(() => undefined),
    async restart(over = settings) {
      await backend.stop();
      backend = await open(over);
    },
  };
}
