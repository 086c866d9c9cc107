import { describe, expect, test, vi } from 'vitest';
import { openApiClient } from '../../shared/client/api-client.ts';
import { MonError } from '../../shared/errors.ts';
import { EMPTY_CONFIG } from '../../tui/config/console-config.ts';
import { settingsOfConfig } from '../../tui/config/initial-state.ts';
import { byKey, openRig, type ConsoleRig } from '../support/console-rig.ts';
import { SCENE } from '../support/console-scene.ts';
import { anEventRow } from '../support/feed-rows.ts';
import { startFeedServer, type FeedServer } from '../support/feed-server.ts';
import type { SavedView } from '../../tui/state/saved-view.ts';
import type { ShownBackend } from '../../tui/effects/shown-backend.ts';

const LAB = { events: byKey([anEventRow({ client: 'lab-1', check: 'disk' }), anEventRow({ client: 'lab-2' })]) };

interface Lab {
  readonly server: FeedServer;
  /** The Authorization header of every request, or `undefined` if the request has none. */
  readonly seen: (string | undefined)[];
}

async function startLab(): Promise<Lab> {
  const seen: (string | undefined)[] = [];
  const server = await startFeedServer({
    http: (request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? 'nobody'}`);
      response.writeHead(404).end();
    },
    onSubscribe: (connection) => connection.send({ type: 'snapshot', seq: 1, rows: LAB }, { type: 'live', seq: 1 }),
  });
  return { server, seen };
}

function shownAt(backend: string, env: Readonly<Record<string, string>> = {}): ShownBackend {
  return { backend, env, api: async () => openApiClient({ backend, env }) };
}

/** Opens a console in the context `prod`, which also has the context `lab` and one that cannot be opened. */
async function openWithContexts(lab: Lab, prod: FeedServer): Promise<ConsoleRig> {
  const rig = await openRig({
    server: prod,
    parts: {
      contexts: {
        names: ['prod', 'lab', 'locked'],
        current: 'prod',
        open: (name) => {
          if (name === 'prod') return Promise.resolve(shownAt(prod.url));
          if (name === 'lab') return Promise.resolve(shownAt(lab.server.url, { MON_API_KEY: 'k-1' }));
          return Promise.reject(new MonError('invalid', 'the password of locked is missing: $PW is empty or not set'));
        },
      },
    },
  });
  await rig.shows('mon  prod  ', 'LIVE', 'db-014');
  return rig;
}

function startProd(): Promise<FeedServer> {
  return startFeedServer({
    onSubscribe: (connection) => connection.send({ type: 'snapshot', seq: 1, rows: SCENE }, { type: 'live', seq: 1 }),
  });
}

describe('switching to another backend', () => {
  test('switching to another backend shows its events and uses its own credentials', async () => {
    const lab = await startLab();
    const rig = await openWithContexts(lab, await startProd());
    rig.type(':ctx lab\r');
    await rig.shows('LIVE', 'lab-1', 'mon  lab  ');
    expect(rig.screen.text).not.toContain('db-014');
    rig.type('\r');
    await vi.waitFor(() => expect(lab.seen).toContain('GET /events/lab-1/disk Key k-1'));
  });

  test('a switch to another backend keeps the filter and order of each backend and clears the marks', async () => {
    const rig = await openWithContexts(await startLab(), await startProd());
    rig.type('/web\r   ');
    await rig.shows('3 marked');
    rig.type(':ctx lab\r');
    await rig.shows('lab-1', 'filter: none');
    rig.type(':sort client\r/lab-1\r');
    await rig.showsNo('lab-2');
    rig.type(':ctx prod\r');
    await rig.shows('web-003', 'filter: web');
    await rig.showsNo('marked');
    await rig.showsNo('db-014');
    rig.type(':ctx lab\r');
    await rig.shows('filter: lab-1', 'sort: client');
    expect(rig.screen.text).not.toContain('lab-2');
  });

  test('each backend of a context starts with the settings of the configuration file', async () => {
    const lab = await startLab();
    const prod = await startProd();
    const rig = await openRig({
      server: prod,
      parts: {
        kept: settingsOfConfig({ ...EMPTY_CONFIG, columns: { events: ['client', 'output'] } }),
        contexts: { names: ['lab'], current: undefined, open: () => Promise.resolve(shownAt(lab.server.url)) },
      },
    });
    await rig.shows('LIVE', 'STATUS  CLIENT');
    expect(rig.row('STATUS')).not.toContain('CHECK');
    rig.type(':ctx lab\r');
    await rig.shows('lab-1');
    expect(rig.row('STATUS')).not.toContain('CHECK');
  });

  test('the menu of contexts switches to another backend and shows the current backend', async () => {
    const rig = await openWithContexts(await startLab(), await startProd());
    rig.type(':ctx\r');
    await rig.shows('Contexts', 'prod  (shown now)');
    rig.type('lab\r');
    await rig.shows('lab-1');
    expect(rig.screen.text).toContain('mon  lab  ');
  });

  test('keys typed during a switch apply to the new backend, or to none if that backend cannot be opened', async () => {
    const prod = await startProd();
    const lab = await startLab();
    const rig = await openWithContexts(lab, prod);
    rig.type(':ctx lab\r/lab-2\r');
    await rig.shows('filter: lab-2', 'mon  lab  ');
    rig.type(':ctx locked\r !k:q\r');
    await rig.shows('could not switch to locked');
    expect(rig.screen.text).not.toMatch(/marked|read-only/);
    expect(rig.quits).toBe(0);
  });

  test('the log and the undo of a backend survive a switch to another backend', async () => {
    const undone: unknown[] = [];
    const prod = await startFeedServer({
      http: (request, response) => {
        void (async () => {
          let text = '';
          for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
          if (request.url !== '/api/mon/v1/bulk') return void response.writeHead(404).end();
          const { operations } = JSON.parse(text) as { operations: readonly { readonly op: string }[] };
          if (operations[0]?.op === 'clear') undone.push(operations);
          const results = [{ ok: true, undo: [{ op: 'clear', id: 'client:web-003.eu-west-1:http-frontend' }] }];
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
        })();
      },
      onSubscribe: (connection) => connection.send({ type: 'snapshot', seq: 1, rows: SCENE }, { type: 'live', seq: 1 }),
    });
    const rig = await openWithContexts(await startLab(), prod);
    rig.type(':silence 1h CHG-1\r');
    await rig.shows('[[ Silence 1 event ]]');
    rig.type('\r');
    await rig.shows('1 silence created');
    rig.type(':ctx lab\r');
    await rig.shows('lab-1');
    rig.type('z');
    await rig.shows('nothing');
    rig.type('L');
    await rig.shows('1 silence created');
    rig.type('q:ctx prod\r');
    await rig.shows('LIVE', 'db-014');
    rig.type('z');
    await rig.shows('y yes');
    rig.type('y');
    await vi.waitFor(() => expect(undone).toHaveLength(1));
  });

  test('the console stays locked after a switch to another backend', async () => {
    const rig = await openWithContexts(await startLab(), await startProd());
    rig.type('!');
    await rig.shows('(read-only)');
    rig.type(':ctx lab\r');
    await rig.shows('lab-1', '(read-only)');
    rig.type('r');
    await rig.shows('the console is locked');
    expect(rig.screen.text).not.toContain('Resolve 1 event');
  });

  test('the console can be quit while another backend is being opened', async () => {
    const rig = await openRig({
      server: await startProd(),
      parts: { contexts: { names: ['slow'], current: undefined, open: () => new Promise(() => {}) } },
    });
    await rig.shows('LIVE');
    rig.type(':ctx slow\r\u0003\u0003');
    await vi.waitFor(() => expect(rig.quits).toBe(1));
  });

  test('the console stays at its backend and says why if the new backend rejects its credentials', async () => {
    const rig = await openWithContexts(await startLab(), await startProd());
    rig.type(':ctx locked\r');
    await rig.shows('could not switch to locked: the password of locked is missing: $PW is empty or not set', 'db-014');
    expect(rig.screen.text).toContain('mon  prod  ');
  });

  test('switching to another backend works while the current backend is unavailable', async () => {
    const prod = await startProd();
    const rig = await openWithContexts(await startLab(), prod);
    prod.refuse(503);
    (await rig.connection()).cut();
    await rig.shows('DISCONNECTED');
    rig.type(':ctx lab\r');
    await rig.shows('LIVE', 'lab-1');
    expect(rig.screen.text).not.toContain('DISCONNECTED');
  });
});

test('a saved view is written to the file and appears in the menu of views', async () => {
  const saved: [string, SavedView | undefined][] = [];
  const rig = await openRig({
    snapshot: SCENE,
    parts: { saveView: (name, view) => Promise.resolve(void saved.push([name, view])) },
  });
  rig.type(':filter status>=warn !silenced\r');
  rig.type('\u0013on-call\r');
  await rig.shows('view on-call saved');
  expect(saved).toEqual([
    ['on-call', { view: 'events', filter: 'status>=warn !silenced', sort: undefined, columns: undefined }],
  ]);
  rig.type('v');
  await rig.shows('on-call: events status>=warn !silenced');
  rig.escape();
  rig.type(':view delete on-call\r');
  await rig.shows('view on-call deleted');
  rig.type('v');
  await rig.showsNo('on-call: events');
});

test('saving a view without a configuration file fails with a message that there is no file', async () => {
  const rig = await openRig({ snapshot: SCENE });
  rig.type(':view save on-call\r');
  await rig.shows('could not save view on-call: this console has no configuration file');
  expect(rig.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
