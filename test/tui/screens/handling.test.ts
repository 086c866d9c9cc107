import { describe, expect, test } from 'vitest';
import type { ConsoleRig, SeenRequest } from '../../support/console-rig.ts';
import { handlingBackend, openHandlingScene, SCENE_LETTERS } from '../../support/handling-scene.ts';
import { openOverviewScene, overviewApi } from '../../support/overview-scene.ts';
import { expectGolden } from '../../support/screen.ts';
import { subjectApi } from '../../support/subject-scene.ts';
import { COLOR, LOOKS, scenesAt, sizesOf } from '../../support/golden-looks.ts';

const SHIFT_TAB = '\u001B[Z';

interface Picture {
  readonly view: string;
  readonly play: (rig: ConsoleRig) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    view: 'detail-handlers',
    play: async (rig) => {
      rig.type('\r');
      await rig.shows('unknown_handler');
    },
  },
  {
    view: 'handling',
    play: async (rig) => {
      rig.type('W');
      await rig.shows('handlers ›', 'office-hours');
    },
  },
  { view: 'dead-letters', play: openLetters },
  {
    view: 'dead-letter',
    play: async (rig) => {
      await openLetters(rig);
      rig.type('\r');
      await rig.shows('dead letters ›', 'secrets redacted');
    },
  },
  {
    view: 'dead-letter-drop',
    play: async (rig) => {
      await openLetters(rig);
      rig.type('  D');
      await rig.shows('Drop 2 dead letters');
    },
  },
  {
    view: 'silence-kept-back',
    play: async (rig) => {
      rig.type('3');
      await rig.pass(400);
      await rig.shows('bob');
      rig.type('\r');
      await rig.shows('118 notifications');
    },
  },
];

async function openLetters(rig: ConsoleRig): Promise<void> {
  rig.type(':dead-letters\r');
  await rig.shows('REASON', 'ticket');
}

describe.each(sizesOf(PICTURES))('at $columns x $rows', ({ columns, rows }) => {
  test.each(scenesAt(PICTURES, { columns, rows }))(
    'the handling screen $view matches its picture',
    async ({ view, play }) => {
      const rig = await openHandlingScene({ columns, rows });
      await play(rig);
      await expectGolden(rig.screen, `${view}-${String(columns)}x${String(rows)}`);
      expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
      expect(rig.screen.lines.at(-1)).not.toBe('');
    },
  );
});

describe.each(LOOKS)('in $look', ({ look, theme, styled }) => {
  test('the dead letters match their styled picture', async () => {
    const rig = await openHandlingScene({ theme });
    await openLetters(rig);
    rig.type(' ');
    await rig.pass(400);
    await expectGolden(rig.screen, `dead-letters-${look}`, { styled });
    expect(COLOR.test(rig.screen.output)).toBe(theme.color);
    expect(/[^\u0000-\u007F]/.test(rig.screen.output)).toBe(!theme.ascii);
  });
});

describe('the explanation of a missing notification', () => {
  test('the detail of an event shows each handler, its verdict, its last run and the reason', async () => {
    const rig = await openHandlingScene();
    rig.type('\r');
    await rig.shows('unknown_handler');
    expect(rig.screen.text).toContain('notified: audit 3m ago; failed: pagerduty 3m ago');
    expect(rig.screen.text).toMatch(/audit +handle +delivered 3m ago +all cond/);
    expect(rig.screen.text).toMatch(/pagerduty +handle +failed 3m ago \(5 tries\): th/);
    expect(rig.screen.text).toMatch(/slack-ops +unknown_handler +no handler with this name i/);
  });

  test('the key W shows the whole explanation from the list and the detail, and the page follows its changes', async () => {
    const backend = handlingBackend();
    let isSilenced = false;
    const rig = await openHandlingScene({
      api: (request) => {
        const answer = backend.api(request);
        if (!isSilenced || !request.path.endsWith('/explain')) return answer;
        return { status: 200, body: { ...(answer.body as object), reason: 'no handler runs: it is silenced' } };
      },
    });
    rig.type('\rW');
    await rig.shows('handlers › db-014.eu-west-1 / postgres-repl', 'its filter office-hours keeps the event out');
    isSilenced = true;
    await rig.pass(2000);
    await rig.shows('no handler runs: it is silenced');
    rig.escape();
    await rig.shows('events › db-014.eu-west-1 / postgres-repl');
    expect(rig.screen.text).toContain('unknown_handler');
  });

  test('the page of a client explains a check whether or not the check has an event', async () => {
    const rig = await openHandlingScene({
      api: (request) => {
        const answer = subjectApi(request);
        return answer.status === 404 ? handlingBackend().api(request) : answer;
      },
    });
    rig.type('5');
    await rig.pass(400);
    await rig.shows('KEEPALIVE');
    rig.type('/db-014\r\r');
    await rig.shows('batch-import', 'postgres-repl');
    rig.type('gW');
    await rig.shows('handlers › db-014.eu-west-1 / postgres-repl', 'its filter office-hours keeps the event out');
    rig.escape();
    await rig.shows('batch-import');
    rig.type('GW');
    await rig.shows('no event and no result');
    expect(rig.row('handlers ›')).not.toContain('postgres-repl');
  });

  test('the console says that a backend of an earlier version offers no explanation', async () => {
    const { api } = handlingBackend();
    const rig = await openHandlingScene({
      api: (request) => (request.path.endsWith('/explain') ? { status: 404 } : api(request)),
    });
    rig.type('\r');
    await rig.shows('Related events');
    expect(rig.screen.text).not.toContain('Notifications');
    rig.type('W');
    await rig.shows('no event and no result for this check on this client');
  });
});

describe('dead letters', () => {
  test('dead letters are listed newest first, filtered and sorted like any list', async () => {
    const rig = await openHandlingScene();
    await openLetters(rig);
    expect(rig.row('db-014')).toMatch(
      /> .*11:57:00Z +pagerduty +db-014\.eu-west-1 \/ postgres-repl +5 +the connection/,
    );
    expect(rig.row('ticket')).toContain('its queue is full');
    rig.type('/handler=ticket\r');
    await rig.showsNo('pagerduty');
    expect(rig.screen.text).toContain('1 of 3 dead letters shown');
  });

  test('the key T retries the dead letters that its dialog names after a confirmation', async () => {
    const rig = await openHandlingScene();
    await openLetters(rig);
    rig.type('T');
    await rig.shows('Retry 1 dead letter', 'pagerduty for db-014.eu-west-1/postgres-repl');
    expect(changesOf(rig)).toEqual([]);
    rig.type('y');
    await rig.shows('1 dead letter retried: pagerduty for db-014.eu-west-1/postgres-repl');
    await rig.shows('2 dead letters');
    expect(changesOf(rig)).toEqual([`POST /api/mon/v1/dead-letters/${String(SCENE_LETTERS[0]?.id)}/retry`]);
  });

  test('the key D drops all marked dead letters, and Enter alone cancels', async () => {
    const rig = await openHandlingScene();
    await openLetters(rig);
    rig.type('  D');
    await rig.shows('Drop 2 dead letters', 'This cannot be undone');
    expect(rig.screen.text).toContain('pagerduty for web-003.eu-west-1/http-frontend');
    rig.type('\r');
    await rig.showsNo('This cannot be undone');
    expect(changesOf(rig)).toEqual([]);
    rig.type('Dy');
    await rig.shows('2 dead letters dropped');
    await rig.pass(400);
    await rig.showsNo('web-003');
    expect(changesOf(rig).toSorted()).toEqual(
      SCENE_LETTERS.slice(0, 2).map(({ id }) => `DELETE /api/mon/v1/dead-letters/${String(id)}`),
    );
  });

  test('a dead letter that another user has retried meanwhile is reported separately', async () => {
    const backend = handlingBackend();
    const rig = await openHandlingScene({ api: backend.api });
    await openLetters(rig);
    rig.type('aT');
    await rig.shows('Retry 3 dead letters');
    backend.letters.shift();
    rig.type('y');
    await rig.shows('2 of 3 dead letters retried');
    expect(rig.row('not retried')).toContain('pagerduty for db-014.eu-west-1/postgres-repl: there is no dead');
    expect(backend.letters).toEqual([]);
  });

  test('dead letters are left unchanged in read-only mode', async () => {
    const rig = await openHandlingScene({ readOnly: true });
    await openLetters(rig);
    for (const key of ['T', 'D']) {
      rig.type(key);
      await rig.shows(`${key} is disabled: this console was started with --read-only`);
    }
    rig.type('\r');
    await rig.shows('secrets redacted');
    rig.type('D');
    await rig.shows('D is disabled: this console was started with --read-only');
    expect(changesOf(rig)).toEqual([]);
  });

  test('the page of a dead letter shows its event and offers retry, drop and explanation', async () => {
    const rig = await openHandlingScene();
    await openLetters(rig);
    rig.type('\r');
    await rig.shows('dead letters › 1763745000000000', '"name": "db-014.eu-west-1"', '5 since the backend started');
    rig.type('W');
    await rig.shows('handlers › db-014.eu-west-1 / postgres-repl');
    rig.escape();
    await rig.shows('dead letters › 1763745000000000');
    rig.type('\r');
    await rig.shows('events › db-014.eu-west-1 / postgres-repl');
    rig.escape();
    rig.type('Dy');
    await rig.shows('1 dead letter dropped: pagerduty for db-014.eu-west-1/postgres-repl');
    await rig.pass(5000);
    await rig.shows('as of', '"name": "db-014.eu-west-1"');
    await rig.pass(12_000);
    await rig.shows('reload failed: this dead letter no longer exists: it was retried or dropped');
    expect(changesOf(rig)).toEqual(['DELETE /api/mon/v1/dead-letters/1763745000000000']);
  });

  test('the page of a dead letter says that its event is resolved', async () => {
    const rig = await openHandlingScene();
    await openLetters(rig);
    rig.type('G\r');
    await rig.shows('dead letters › 1763745000000002', 'none since the backend started');
    rig.type('\r');
    await rig.shows('the event has resolved');
    expect(rig.screen.text).toContain('dead letters › 1763745000000002');
  });

  test('the dead letter of a group is named by the group and its number of events', async () => {
    const { api } = handlingBackend();
    const grouped = { ...SCENE_LETTERS[0], group: { label: 'dc=fra', events: 31 } };
    const rig = await openHandlingScene({
      api: (request) => (request.path.endsWith('/dead-letters') ? { status: 200, body: [grouped] } : api(request)),
    });
    rig.type(':dead-letters\r');
    await rig.shows('dc=fra (31 events)');
    rig.type('D');
    await rig.shows('Drop 1 dead letter', 'pagerduty for dc=fra (31 events)');
    expect(rig.screen.text).not.toContain('pagerduty for db-014');
  });

  test('a dead letter with a hostile name sends no control sequence to the terminal', async () => {
    const { api } = handlingBackend();
    const hostile = { ...SCENE_LETTERS[0], handler: '\u001B]0;x\u0007mail', reason: 'a\u001B[2J\nb\u202Ec' };
    const rig = await openHandlingScene({
      api: (request) => (request.path.endsWith('/dead-letters') ? { status: 200, body: [hostile] } : api(request)),
    });
    rig.type(':dead-letters\r');
    await rig.shows('mail');
    rig.type('T');
    await rig.shows('Retry 1 dead letter');
    expect(rig.screen.output).not.toMatch(/\u001B\]0;|\u001B\[2J\nb|\u202E/);
  });
});

describe('the handlers of the overview', () => {
  test('the overview lists the worst handlers first, and Enter on a handler opens its dead letters', async () => {
    const rig = await openOverviewScene({ api: overviewAndLetters });
    rig.type('1');
    await rig.pass(400);
    await rig.shows('HANDLERS', 'pagerduty');
    const names = rig.screen.lines.flatMap((line) => /(pagerduty|slack-data|mail) +\d+ +\d+/.exec(line)?.[1] ?? []);
    expect(names).toEqual(['pagerduty', 'slack-data', 'mail']);
    expect(rig.row('pagerduty')).toMatch(/pagerduty +15 +2 +5 +3/);
    rig.type(SHIFT_TAB.repeat(4));
    await rig.shows('> HANDLERS');
    rig.type('\r');
    await rig.shows('[Dead letters]', '2 of 3 dead letters shown');
    expect(rig.row('filter:')).toContain('filter: handler=pagerduty');
    rig.escape();
    rig.escape();
    await rig.shows('[1 Overview]');
  });

  test('the overview shows all other boxes if the backend does not list its handlers', async () => {
    const rig = await openOverviewScene({
      api: (request) => (request.path === '/api/mon/v1/handlers' ? { status: 404 } : overviewApi(request)),
    });
    rig.type('1');
    await rig.pass(400);
    await rig.shows('HANDLERS', 'unavailable');
    expect(rig.row('registered')).toContain('20,000');
  });
});

test('the page of a silence shows how many notifications it suppressed and the time of the last suppression', async () => {
  const rig = await openHandlingScene();
  rig.type('3');
  await rig.pass(400);
  await rig.shows('bob');
  rig.type('\r');
  await rig.shows('118 notifications');
  expect(rig.row('118 notifications')).toMatch(
    /effect +118 notifications suppressed, last 2026-\d\d-\d\d \d\d:\d\d:\d\dZ \(20s ago\)/,
  );
});

function overviewAndLetters(request: SeenRequest): ReturnType<typeof overviewApi> {
  const answer = overviewApi(request);
  return answer.status === 404 ? handlingBackend().api(request) : answer;
}

/** Returns the changes that the console requested from the backend. */
function changesOf({ requests }: ConsoleRig): readonly string[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
}
