import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { silencedId } from '../../shared/domain/silencing.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import type { Effect } from '../../tui/state/effects.ts';
import { inspectBody } from '../../tui/screens/inspect/body.ts';
import type { InspectLayer, InspectSubject, SubjectData } from '../../tui/state/layers/inspect.ts';
import type { ViewName } from '../../tui/state/view-names.ts';
import { ConsoleDriver } from './console-driver.ts';
import { isFoldKey } from '../../tui/model/fold-by.ts';
import { eventKeysOf } from '../../tui/list/selected-rows.ts';
import { TORN_DELAY_MS } from '../../tui/terminal/key-decoder.ts';
import { targetOf, type EventTarget } from '../../tui/model/target.ts';
import type { Layer } from '../../tui/state/layers/layer.ts';

/** Kinds of dialogs that act on a selection made before they were opened. */
const DIALOGS: ReadonlySet<Layer['kind']> = new Set(['silence', 'confirm', 'menu', 'command']);

const DOWN = '\u001B[B';
const CTRL_S = '\u0013';

/** The parts of the last drawn frame that determine which objects a key refers to. */
interface Drawn {
  readonly view: ViewName;
  readonly top: Layer | undefined;
  readonly rows: readonly string[];
  readonly cursor: string | undefined;
  readonly marks: readonly string[];
  /** Keys of the events of each row, which are several if the row is a fold; empty in other views. */
  readonly events: ReadonlyMap<string, readonly string[]>;
  /** Names of the objects under the cursor, or marked, in the inspect screen. */
  readonly inspected: readonly string[];
}

/**
 * A console that is used while its data changes. For each key the test records which objects it refers to in the last
 * frame, and compares them with the changes that the console requests. Objects are named like silences: an event
 * `client:NAME:CHECK`, a client `client:NAME:*`, a check `*:NAME`, a dead letter `letter:ID`.
 */
export class TargetRound {
  /** Descriptions of changes to objects that the key did not refer to. */
  readonly unintendedChanges: string[] = [];
  /** Number of changed objects by kind of change. */
  readonly acted = new Map<string, number>();
  readonly #driver: ConsoleDriver;
  readonly #subjectOf: (subject: InspectSubject) => SubjectData | undefined;
  #drawn: Drawn | undefined;
  #hasUnseen = false;
  #meant: ReadonlySet<string> = new Set();
  #key = '';
  /** Names of the objects of each change that can be undone, the latest change last. */
  readonly #own: (readonly string[])[] = [];

  /**
   * Creates the console with these rows.
   *
   * @param subjectOf callback that returns the backend's data about an inspected subject
   * @param members names of the contexts whose data is merged into one list; default: the console shows one backend
   */
  constructor(
    rows: FeedRows,
    subjectOf: (subject: InspectSubject) => SubjectData | undefined,
    { members }: { readonly members?: readonly string[] } = {},
  ) {
    this.#driver = new ConsoleDriver({ members });
    this.#subjectOf = subjectOf;
    this.#driver.store.subscribe(() => this.#see());
    this.#driver.goLive(rows);
    this.#driver.store.answers.viewLoaded('checks', [
      { name: 'k', subscribers: ['linux'], next_run: null },
      { name: 'l', subscribers: ['linux'], next_run: null },
      { name: 'm', subscribers: ['linux'], next_run: null },
    ]);
    this.#answer();
  }

  /** Applies rows that no frame has shown yet. */
  change(rows: FeedRows): void {
    this.#driver.change(rows);
    this.#hasUnseen = true;
  }

  /** Loads another list of dead letters, which no frame has shown yet. */
  letters(letters: readonly DeadLetterSummary[]): void {
    this.#driver.store.answers.viewLoaded('dead-letters', letters);
    this.#hasUnseen = true;
  }

  snapshot(rows: FeedRows): void {
    this.#driver.goLive(rows);
    this.#answer();
  }

  pass(ms: number): void {
    this.#driver.pass(ms);
    this.#answer();
  }

  /** Types keys that move the cursor, mark rows or close a layer, but change nothing at the backend. */
  use(keys: string): void {
    if (!this.#isAsked) this.#meant = new Set();
    if (keys === 'escape') {
      this.#driver.escape();
      // Keys that follow Esc sooner than a person can press them are read as the rest of an escape sequence.
      this.#driver.clock.advance(TORN_DELAY_MS);
    } else this.#driver.type(keys);
    this.#answer();
  }

  /** Opens a view by its digit, and draws it. */
  look(digit: string): void {
    this.use(digit);
    this.pass(400);
  }

  /** Opens the dead letters by a command, because they have no digit; does nothing while a dialog is open. */
  lookAtLetters(): void {
    if (this.#drawn?.top !== undefined) return;
    this.use(':dead-letters\r');
  }

  /**
   * Types a key that acts on the row under the cursor, or on the marked rows.
   *
   * @param down number of rows by which the cursor first moves down, with keys in the same chunk
   */
  act(key: string, down: number): void {
    // A user who types ahead knows only the rows that a frame has shown.
    this.#key = key;
    const ahead = this.#hasUnseen || this.#isAsked || this.#drawn?.top !== undefined ? 0 : down;
    if (!this.#isAsked) this.#meant = new Set(key === 'z' ? this.#own.at(-1) : this.#meaning(ahead));
    this.#driver.type('j'.repeat(ahead) + key);
    this.#answer();
  }

  /**
   * Confirms the open dialog, if there is one.
   *
   * @param choice position in a menu, or number of a command
   */
  agree(choice: number): void {
    const top = this.#drawn?.top;
    const kind = top?.kind;
    // Events that joined the selected folds while the menu or the command line was open have been shown meanwhile.
    if (kind === 'menu' || kind === 'command') {
      const folds = this.#meaning(0).length > 1 ? this.#meaning(0) : [];
      this.#meant = new Set([...this.#meant, ...folds]);
    }
    // In the dialog for an existing silence the first field is its end, in the dialog for events it is the reason.
    if (top?.kind === 'silence') this.#driver.type(`${top.form.origin === undefined ? '' : '4h\t\t'}why${CTRL_S}`);
    if (kind === 'confirm') this.#driver.type('y');
    if (kind === 'menu') this.#driver.type(`${DOWN.repeat(choice)}\r`);
    if (kind === 'command') this.#driver.type(['resolve\r', 'silence 1h why\r', 'unsilence\r'][choice % 3] ?? '\r');
    this.#answer();
  }

  get #isAsked(): boolean {
    const kind = this.#drawn?.top?.kind;
    return kind !== undefined && DIALOGS.has(kind);
  }

  #see(): void {
    const { store } = this.#driver;
    const { view } = store.state;
    const isPage = view === 'overview' || view === 'upgrade';
    const top = store.state.layers.at(-1);
    this.#hasUnseen = false;
    const rows = isPage ? [] : store.rows.order.slice(0, store.rows.order.length).map(({ key }) => key);
    const marks = [...store.list.marks];
    this.#drawn = {
      view,
      top,
      rows,
      events: new Map(view === 'events' ? [...rows, ...marks].map((key) => [key, eventKeysOf(store.folds, key)]) : []),
      cursor: store.list.cursor.key,
      marks,
      inspected: top?.kind === 'inspect' ? this.#inspected(top) : [],
    };
  }

  #inspected(layer: InspectLayer): readonly string[] {
    const { name, kind } = layer.subject;
    if (kind === 'result') return [nameOf(targetOf(name))];
    const { rows } = inspectBody(this.#driver.store, layer);
    const about = layer.marks.size > 0 ? [...layer.marks] : [layer.cursor.key];
    const shown = rows.filter(({ key }) => about.includes(key)).flatMap((row) => row.targets.map(nameOf));
    // Marked rows are selected even while the screen reloads and draws no rows.
    const marked = rows.length === 0 ? [...layer.marks].map((key) => nameOf(targetOf(key))) : [];
    const targets = [...shown, ...marked];
    return targets.length === 0 && kind === 'check' ? [`*:${name}`] : targets;
  }

  /** Returns the objects that a key refers to in the last frame, after the cursor moved down by `down` rows. */
  #meaning(down: number): readonly string[] {
    const drawn = this.#drawn;
    if (drawn === undefined) return [];
    const { top, view, marks, rows, cursor, events } = drawn;
    const namesOf = (key: string): readonly string[] => {
      const keys = events.get(key) ?? [key];
      const names = keys.map((one) => nameIn(view, one));
      // A fold by check can be silenced as the check on all clients, or with the filter as a search (`*:*`). S repeats
      // the scope of the last silence.
      return isFoldKey(key) || (view === 'events' && this.#key === 'S')
        ? [...names, '*:*', ...keys.map((one) => silencedId(null, targetOf(one).check))]
        : names;
    };
    if (top?.kind === 'detail') return [nameOf(top.target)];
    if (top?.kind === 'silence-entry') return [top.id];
    if (top?.kind === 'dead-letter') return [nameOfLetter(top.id)];
    if (top?.kind === 'inspect') {
      const { kind, name } = top.subject;
      return kind === 'client' ? [silencedId(clientSubscription(name), null), ...drawn.inspected] : drawn.inspected;
    }
    if (marks.length > 0) return marks.flatMap(namesOf);
    const key = down === 0 ? cursor : rows[Math.min(rows.indexOf(cursor ?? '') + down, rows.length - 1)];
    return key === undefined ? [] : namesOf(key);
  }

  /** Compares the console's requests with the selection, and responds like a backend without failures. */
  #answer(): void {
    const { store } = this.#driver;
    this.#judge(this.#driver.effects());
    const top = store.state.layers.at(-1);
    if (top?.kind === 'silence') {
      const { origin, targets } = top.form;
      this.#hold('dialog', origin === undefined ? targets.map(nameOf) : origin.entries.map(({ id }) => id));
    }
    if (top?.kind === 'confirm' && top.effect !== undefined) this.#hold('dialog', aboutOf(top.effect).names);
  }

  #judge(effects: readonly Effect[]): void {
    const { store } = this.#driver;
    for (const effect of effects) {
      if (effect.kind === 'load-subject') store.answers.subjectLoaded(effect.subject, this.#subjectOf(effect.subject));
      const { verb, names } = aboutOf(effect);
      if (names.length > 0) this.#hold(verb, names);
      if (effect.kind === 'change') this.#changed(effect);
    }
  }

  #changed({ change, undoes }: Effect & { readonly kind: 'change' }): void {
    const { store } = this.#driver;
    if (undoes !== undefined) {
      store.ownChanges.forget(undoes);
      this.#own.pop();
      return;
    }
    const undo = change.operations.flatMap(undoOf);
    store.ownChanges.remember(change.verb, undo, this.#driver.clock.now());
    if (undo.length > 0) this.#own.push(change.operations.map(nameOfOperation));
  }

  #hold(verb: string, names: readonly string[]): void {
    this.acted.set(verb, (this.acted.get(verb) ?? 0) + names.length);
    const wrong = names.filter((name) => !this.#meant.has(name));
    this.unintendedChanges.push(
      ...wrong.map((name) => `${this.#key} ${verb} ${name}, meant ${[...this.#meant].join(' ')}`),
    );
  }
}

/** Returns the kind of change and the names of the objects that an effect changes; no names if it only reads. */
function aboutOf(effect: Effect): { readonly verb: string; readonly names: readonly string[] } {
  switch (effect.kind) {
    case 'change':
      return { verb: effect.change.verb, names: effect.change.operations.map(nameOfOperation) };
    case 'delete-events':
      return { verb: effect.kind, names: effect.targets.map(nameOf) };
    case 'delete-clients':
      return { verb: effect.kind, names: effect.names.map((name) => silencedId(clientSubscription(name), null)) };
    case 'settle-letters':
      return { verb: `${effect.verb}-letters`, names: effect.deadLetters.map(({ id }) => nameOfLetter(String(id))) };
    case 'request-checks':
      return {
        verb: effect.kind,
        names: effect.orders.flatMap(({ check, subscribers = [] }) => {
          const clients = subscribers.filter((subscription) => subscription.startsWith('client:'));
          return clients.length === 0 ? [`*:${check}`] : clients.map((client) => silencedId(client, check));
        }),
      };
    default:
      return { verb: effect.kind, names: [] };
  }
}

function nameOfOperation(operation: BulkOperation): string {
  switch (operation.op) {
    case 'clear':
      return operation.id;
    case 'resolve':
    case 'acknowledge':
    case 'unacknowledge':
      return silencedId(clientSubscription(operation.client), operation.check);
    case 'restore':
      throw new Error('this backend says nothing that restores');
    case 'silence':
      return silencedId(operation.subscription ?? null, operation.check ?? null);
  }
}

function undoOf(operation: BulkOperation): readonly BulkOperation[] {
  if (operation.op === 'silence') return [{ op: 'clear', id: nameOfOperation(operation) }];
  if (operation.op !== 'clear') return [];
  const [, client = '', check = ''] = operation.id.split(':');
  return [{ op: 'silence', subscription: clientSubscription(client), ...(check !== '*' && { check }) }];
}

function nameOf({ client, check }: EventTarget): string {
  return silencedId(clientSubscription(client), check);
}

function nameOfLetter(id: string): string {
  return `letter:${id}`;
}

function nameIn(view: ViewName, key: string): string {
  if (view === 'dead-letters') return nameOfLetter(key);
  if (view === 'events') return nameOf(targetOf(key));
  if (view === 'clients') return silencedId(clientSubscription(key), null);
  return view === 'checks' ? `*:${key}` : key;
}
