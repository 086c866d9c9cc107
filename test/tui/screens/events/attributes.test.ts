import { beforeEach, describe, expect, test } from 'vitest';
import { AttributePacker } from '../../../../shared/domain/attribute-set.ts';
import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { completionOf } from '../../../../tui/actions/command-line.ts';
import { promptCompletion } from '../../../../tui/screens/search-candidates.ts';
import { presentView } from '../../../../tui/actions/saved-views.ts';
import { shownItems } from '../../../../tui/form/menu.ts';
import { layOutList } from '../../../../tui/list/list-layout.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { anEventRow } from '../../../support/feed-rows.ts';

const TAB = '\t';
const packer = new AttributePacker();

function anEvent(client: string, rack: string, unit: string, row: Partial<EventRow> = {}): EventRow {
  return {
    ...anEventRow({ client, check: 'disk', ...row }),
    [CLIENT_ATTRIBUTES]: packer.pack(client, [
      ['subscriptions', ['web', `rack:${rack}`]],
      ['rack', rack],
      ['unit', unit],
    ]),
    [CHECK_ATTRIBUTES]: packer.pack('check', [['team', 'db']]),
  };
}

const EVENTS = {
  'web-1/disk': anEvent('web-1', 'r20', '10'),
  'web-2/disk': anEvent('web-2', 'r21', '9'),
  'web-3/disk': anEvent('web-3', 'r20', '2'),
};

let driver: ConsoleDriver;

beforeEach(() => {
  driver = new ConsoleDriver({ columns: 120, rows: 36 }).goLive({ events: EVENTS });
});

function run(command: string): void {
  driver.type(`:${command}\r`);
}

function problem(): string | undefined {
  const layer = driver.store.state.layers.at(-1);
  return layer?.kind === 'command' ? layer.problem : undefined;
}

function commandCandidates(): readonly string[] {
  const layer = driver.store.state.layers.at(-1);
  return layer?.kind === 'command' ? completionOf(driver.store, layer).candidates : [];
}

function titles(): readonly string[] {
  return layOutList(driver.store).placed.map(({ column }) => column.title);
}

function cells(key: string): readonly string[] {
  const record = driver.store.events.get(key);
  const line = { record, silence: undefined, isPlaced: false };
  return layOutList(driver.store).placed.map(({ column, width }) => column.text(line, driver.clock.now(), width));
}

const shownKeys = (): readonly string[] => driver.list.map((key) => key.replace('/disk', ''));

describe('the list of events', () => {
  test.each([
    ['client.rack=r20', ['web-1', 'web-3']],
    ['rack=r21', ['web-2']],
    ['subscription=rack:r20', ['web-1', 'web-3']],
    ['check.team=db unit>=9', ['web-1', 'web-2']],
  ])('is filtered by the attributes of clients and checks: %s', (filter, expected) => {
    run(`events ${filter}`);
    expect(shownKeys().toSorted()).toEqual(expected);
  });

  test('adds and removes an event whose client has another attribute now', () => {
    run('filter client.rack=r20');
    driver.change({ events: { 'web-2/disk': anEvent('web-2', 'r20', '9') } });
    driver.frame();
    expect(shownKeys().toSorted()).toEqual(['web-1', 'web-2', 'web-3']);
    driver.change({ events: { 'web-1/disk': anEvent('web-1', 'r22', '10') } });
    driver.frame();
    expect(shownKeys().toSorted()).toEqual(['web-2', 'web-3']);
  });

  test('is sorted by an attribute, numbers by value, and follows a changed value', () => {
    run('sort client.unit');
    expect(shownKeys()).toEqual(['web-3', 'web-2', 'web-1']);
    run('sort -client.unit');
    expect(shownKeys()).toEqual(['web-1', 'web-2', 'web-3']);
    driver.change({ events: { 'web-3/disk': anEvent('web-3', 'r20', '11') } });
    driver.frame();
    expect(shownKeys()).toEqual(['web-3', 'web-1', 'web-2']);
  });

  test('shows columns of attributes between the check and the count', () => {
    run('columns client check client.rack check.team age output');
    expect(titles()).toEqual(['STATUS', 'CLIENT', 'CHECK', 'RACK', 'TEAM', 'AGE', 'OUTPUT']);
    expect(cells('web-2/disk').slice(1, 5)).toEqual(['web-2', 'disk', 'r21', 'db']);
    run('columns all');
    expect(titles()).not.toContain('RACK');
  });

  test('drops the last columns of attributes on a narrow screen before its output', () => {
    driver = new ConsoleDriver({ columns: 80, rows: 24 }).goLive({ events: EVENTS });
    run('columns client check count age last output client.rack subscriptions check.team client.site client.owner');
    expect(titles()).toEqual(['STATUS', 'CLIENT', 'CHECK', 'RACK', 'SUBSCRIPTIONS', 'TEAM', 'COUNT', 'AGE', 'OUTPUT']);
    expect(layOutList(driver.store).right).toBeGreaterThan(0);
  });

  test('offers the attributes of its events in the menu of columns', () => {
    driver.type('C');
    const layer = driver.store.state.layers.at(-1);
    if (layer?.kind !== 'menu') throw new Error('there is no menu');
    const labels = shownItems(layer).map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['subscriptions', 'client.rack', 'client.unit', 'check.team']));
    driver.type('check.team\r');
    expect(driver.store.list.added).toEqual(['check.team']);
    driver.type('\r');
    expect(driver.store.list.added).toEqual([]);
  });

  test('keeps filter, order and columns of attributes in a saved view', () => {
    run('events client.rack=r20');
    run('sort -client.unit');
    run('columns client client.rack output');
    const view = presentView(driver.store);
    expect(view).toEqual({
      view: 'events',
      filter: 'client.rack=r20',
      sort: { column: 'client.unit', reversed: true },
      columns: ['status', 'client', 'output', 'client.rack'],
    });
    run('columns all');
    driver.store.update({ savedViews: new Map([['mine', view]]) });
    run('view mine');
    expect(driver.store.list.added).toEqual(['client.rack']);
    expect(shownKeys()).toEqual(['web-1', 'web-3']);
  });
});

describe('an invalid attribute', () => {
  test.each([
    ['sort client.password', 'client.password is secret and cannot be searched for'],
    ['sort rack', 'there is no sort column "rack"'],
    ['columns check.output', 'check.output is called output here'],
    ['columns nope', 'there is no column "nope"'],
    ['events client.secret=x', 'client.secret is secret and cannot be searched for'],
    ['clients rack=x', 'there is no field "rack"'],
  ])('is rejected with what is allowed: :%s', (command, message) => {
    run(command);
    expect(problem()).toContain(message);
  });
});

describe('completion', () => {
  test('offers attributes and their values in the command line', () => {
    driver.type(':events client.');
    expect(commandCandidates()).toEqual(['client.rack=', 'client.unit=']);
    driver.type('rack=r');
    expect(commandCandidates()).toEqual(['client.rack=r20', 'client.rack=r21']);
    driver.type('\u001B');
    driver.clock.advance(100);
    driver.type(':sort check.');
    expect(commandCandidates()).toEqual(['check.team']);
  });

  test('completes fields and values in the filter line, and applies them', () => {
    driver.type('/');
    expect(promptCompletion(driver.store).candidates).toEqual([]);
    driver.type('subscr');
    expect(promptCompletion(driver.store).candidates).toEqual(['subscriptions=']);
    driver.type(TAB);
    expect(driver.store.state.prompt?.line.text).toBe('subscriptions=');
    driver.type('rack:');
    expect(promptCompletion(driver.store).candidates).toEqual(['subscriptions=rack:r20', 'subscriptions=rack:r21']);
    driver.type(TAB + TAB);
    expect(driver.store.state.prompt?.line.text).toBe('subscriptions=rack:r21');
    driver.type('\r');
    expect(shownKeys()).toEqual(['web-2']);
  });
});
