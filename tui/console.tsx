import { render } from 'ink';
import { parseBackendAddresses } from '../shared/client/backend-address.ts';
import { MonError } from '../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../shared/schemas/namespace.ts';
import { App } from './app.tsx';
import { followAll } from './effects/follow-all.ts';
import { followNamespaces } from './effects/follow-namespaces.ts';
import { followFeed, type FollowedFeed } from './effects/follow-feed.ts';
import { FrameScheduler, type FrameClock } from './effects/frame-scheduler.ts';
import { runEffect } from './effects/run-effects.ts';
import { Travel } from './effects/travel.ts';
import { actionOfKey } from './state/keys.ts';
import type { AggregateThresholds } from './model/aggregate-book.ts';
import { ALL_CONTEXTS } from './model/backend-names.ts';
import type { Contexts } from './model/contexts.ts';
import type { Effect } from './state/effects.ts';
import { portableSettings, type ScreenSettings } from './state/screen-settings.ts';
import type { ConsoleMessage } from './model/message-log.ts';
import type { OwnChanges } from './state/undo.ts';
import { ConsoleStore } from './console-store.ts';
import { handleInput } from './actions/press-key.ts';
import { requestedPace } from './list/requested-pace.ts';
import type { FrameStdout } from './terminal/frame-stdout.ts';
import type { InputEvent } from './terminal/input-event.ts';
import type { Theme } from './text/theme.ts';
import type { OwnCommand } from './state/own-command.ts';
import type { CommandTools } from './effects/own-command-effects.ts';
import type { SavedView } from './state/saved-view.ts';
import type { ConsoleOptions } from './state/console-options.ts';
import { openAll } from './effects/all-contexts.ts';
import { FilterScheduler } from './effects/filter-scheduler.ts';
import { apiOf, rejectForPast, upgradesOf, type ShownBackend } from './effects/shown-backend.ts';
import { TypedAhead } from './effects/type-ahead.ts';
import { ViewFeed } from './effects/follow-view.ts';
import { followedNow } from './state/upkeep.ts';
import { openDetail } from './screens/detail/actions.ts';
import type { EventTarget } from './model/target.ts';
import { isConnected } from './model/feed-status.ts';
import { isOwnedBy } from '../shared/domain/plan/operator.ts';
import { isOfNamespaces } from './screens/open-view.ts';

/** Time in milliseconds without a further resize, after which the screen is drawn from scratch. */
const RESIZE_IDLE_MS = 50;

/** Maximum time in milliseconds that the console waits for the release of an upgrade plan when it quits. */
const RELEASE_MS = 1000;

/** Time in milliseconds after which the console shows that a request is under way. */
const SENDING_MESSAGE_DELAY_MS = 300;

/** The effects that change something at the backend because the user asked for it. */
const SENDING_EFFECTS: ReadonlySet<Effect['kind']> = new Set([
  'change',
  'delete-events',
  'delete-clients',
  'request-checks',
  'settle-letters',
  'order-plan',
  'new-plan',
] as const);

export interface ConsoleClock extends FrameClock {
  after(delayMs: number, task: () => void): Disposable;
}

/** The contexts of the configuration file, each of which names a backend that the user can switch to. */
export interface ConsoleContexts extends Contexts {
  /**
   * Opens the backend of a context.
   *
   * @throws MonError when the credentials of the context are missing
   */
  readonly open: (name: string) => Promise<ShownBackend>;
}

export interface ConsoleDependencies extends ShownBackend {
  readonly contexts?: ConsoleContexts;
  /** The screen settings from the configuration file and the command line. */
  readonly kept?: ScreenSettings;
  /** The commands of the user from the configuration file; default: none. */
  readonly ownCommands?: readonly OwnCommand[];
  /** Runs a program that gets the terminal until it ends. Default: the console has no terminal to give. */
  readonly runInTerminal?: NonNullable<CommandTools['runInTerminal']>;
  /** Percentage of results that must be OK, for each aggregate; default 80. */
  readonly aggregateNeeds?: AggregateThresholds;
  /** Saves a view in the configuration file. If `view` is `undefined`, removes the saved view of this name. */
  readonly saveView?: (name: string, view: SavedView | undefined) => Promise<void>;
  readonly stdout: FrameStdout;
  readonly clock: ConsoleClock;
  readonly theme: Theme;
  readonly creator: string;
  /**
   * Id of this console's session, by which a backend knows which console owns an upgrade plan. Default: a random id.
   */
  readonly session?: string;
  readonly readOnly: boolean;
  /** True if the console runs inside tmux, so that some terminal sequences must be wrapped. Default false. */
  readonly isTmux?: boolean;
  /** Loads a text into a buffer of the tmux in which the console runs. Default: the console does not run in tmux. */
  readonly loadTmuxBuffer?: (text: string) => Promise<void>;
  /** The event that is opened at the start. */
  readonly opened?: EventTarget;
  /** Called when the user turns mouse support on or off. */
  readonly setMouse?: (isOn: boolean) => void;
  /** Stops the console until the shell continues it; resolves to false if no shell could continue it. */
  readonly suspend?: () => Promise<boolean>;
  readonly onQuit: () => void;
  /** Returns a random number from 0 to below 1, for the jitter of reconnects. */
  readonly random?: () => number;
}

export interface Console extends Disposable {
  /** Handles an input event, such as a key, a paste or a change of focus. */
  readonly input: (event: InputEvent) => void;
  /** Draws the whole screen again, because another program may have written to the terminal. */
  readonly repaint: () => void;
}

function isInterrupt(event: InputEvent): boolean {
  return event.kind === 'key' && actionOfKey('events', event) === 'interrupt';
}

function isEscape(event: InputEvent): boolean {
  return event.kind === 'key' && event.name === 'escape';
}

function noConfiguration(): Promise<never> {
  return Promise.reject(new MonError('unavailable', 'this console has no configuration file'));
}

/** The feed while a past moment is shown. It does nothing, because the past does not change. */
const NO_FEED: FollowedFeed = {
  reconnect: () => undefined,
  resync: () => undefined,
  setPace: () => undefined,
  close: () => undefined,
};

/** Returns a map key that identifies a namespace of a context. */
function namespaceKey(context: string | undefined, namespace = DEFAULT_NAMESPACE): string {
  return JSON.stringify([context, namespace]);
}

/** Starts the console. The first frame is written before this function returns; the feed connects afterwards. */
export function openConsole(parts: ConsoleDependencies): Console {
  const { stdout, clock, theme, creator, readOnly } = parts;
  let { session } = parts;
  const storeOf = (
    { backend, env, members, namespace }: ShownBackend,
    current: string | undefined,
    before: Pick<ConsoleOptions, 'savedSettings' | 'ownChanges' | 'log'>,
  ): ConsoleStore =>
    new ConsoleStore({
      size: { columns: stdout.columns, rows: stdout.rows },
      backend: members === undefined ? parseBackendAddresses(backend, env)[0].url : 'all contexts',
      ...(members && { mergedContexts: [...members.keys()] }),
      namespace,
      creator,
      // The session id is created on first use: loading the random generator takes a twentieth of the time to the first
      // frame, and the feed loads it anyway.
      get session() {
        return (session ??= crypto.randomUUID());
      },
      readOnly,
      ...before,
      ...(parts.contexts && { contexts: { names: parts.contexts.names, current } }),
      ...(parts.ownCommands && { ownCommands: parts.ownCommands }),
      ...(parts.aggregateNeeds && { aggregateNeeds: parts.aggregateNeeds }),
      now: () => clock.now(),
    });
  let shown: ShownBackend = parts;
  let store = storeOf(parts, parts.contexts?.current, parts.kept === undefined ? {} : { savedSettings: parts.kept });
  if (parts.opened !== undefined) openDetail(store, parts.opened, false);
  store.tick(clock.now());

  let paints = 0;
  const tree = (): React.JSX.Element => <App key={paints} store={store} theme={theme} />;
  const ink = render(tree(), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    // Without this option, Ink decides by environment variables whether there is a terminal, and finds none in CI or in
    // a test.
    interactive: true,
    maxFps: 1000,
    incrementalRendering: true,
    alternateScreen: false,
    patchConsole: false,
    exitOnCtrlC: false,
  });

  const follow = ({ members, ...one }: ShownBackend, into: ConsoleStore): FollowedFeed => {
    if (members !== undefined) return followAll(members, into, clock, parts.random);
    const followOne = one.namespace === EVERY_NAMESPACE ? followNamespaces : followFeed;
    return followOne(one, into, clock, parts.random);
  };
  let feed = follow(shown, store);
  // A merged list of several backends only shows events.
  const followView = ({ members, ...one }: ShownBackend, into: ConsoleStore): ViewFeed | undefined =>
    members === undefined ? new ViewFeed(one, into, clock, parts.random) : undefined;
  let viewFeed = followView(shown, store);
  const filter = new FilterScheduler({ list: () => store, clock, paint: () => scheduler.paintNow() });
  const scheduler = new FrameScheduler(
    {
      get urgency() {
        return store.urgency;
      },
      get focused() {
        return store.state.focused;
      },
      tick: (nowMs) => {
        filter.beforeFrame(nowMs);
        store.tick(clock.now());
      },
      paint: () => {
        store.paint();
        feed.setPace(requestedPace(store));
        viewFeed?.followVisibleView(followedNow(store), store.feed.connection.kind === 'live');
        // Effects run after the frame, because the first request has to load the HTTP code.
        setImmediate(runEffects);
        filter.continueLater();
      },
    },
    stdout,
    clock,
  );

  const repaint = (): void => {
    ink.clear();
    // A new React key replaces the whole component tree. Ink only draws changes, so this makes it draw everything.
    paints += 1;
    ink.rerender(tree());
    scheduler.paintNow();
  };

  /** The screen settings and the namespace of each context at the time when the user left it. */
  const leftContexts = new Map<
    string | undefined,
    { readonly kept: ScreenSettings; readonly namespace: string | undefined }
  >();
  /** The user's changes by namespace and context, so that undo never affects another namespace or context. */
  const ownChanges = new Map<string, OwnChanges>();
  /** Shows another backend, namespace or moment in a new store, and closes the feeds of the previous store. */
  const show = (
    next: ShownBackend,
    context: string | undefined,
    kept: ScreenSettings,
    followed?: FollowedFeed,
  ): void => {
    feed.close();
    viewFeed?.close();
    const { log, options } = store;
    ownChanges.set(namespaceKey(options.contexts?.current, options.namespace), store.ownChanges);
    const before = ownChanges.get(namespaceKey(context, next.namespace));
    shown = next;
    store = storeOf(next, context, { savedSettings: kept, log, ...(before && { ownChanges: before }) });
    feed = followed ?? follow(next, store);
    viewFeed = followView(next, store);
  };
  const ahead = new TypedAhead();
  const whileTyping = async (open: () => Promise<void>): Promise<void> => {
    const before = store;
    const typed = await ahead.during(open);
    if (store === before) scheduler.paintNow();
    else repaint();
    for (const event of typed) input(event);
  };
  const switchContext = (name: string): Promise<void> =>
    whileTyping(async () => {
      const { contexts } = parts;
      if (contexts === undefined) throw new MonError('not_found', 'the configuration file contains no contexts');
      const next = await (name === ALL_CONTEXTS ? openAll(contexts.names, contexts.open) : contexts.open(name));
      const left = portableSettings(store.state);
      leftContexts.set(store.options.contexts?.current, { kept: left, namespace: shown.namespace });
      const before = leftContexts.get(name);
      const { kept = { view: left.view, views: parts.kept?.views ?? {} } } = before ?? {};
      const namespace = before === undefined ? next.namespace : before.namespace;
      show(next.members === undefined ? { ...next, namespace } : next, name, {
        ...kept,
        common: left.common,
        ...((next.members ?? namespace === EVERY_NAMESPACE) && { view: 'events' as const }),
      });
    });
  const switchNamespace = (name: string): Promise<void> =>
    whileTyping(async () => {
      const isAll = name === EVERY_NAMESPACE;
      const names = isAll ? [] : (await (await shown.api()).namespaces()).map((namespace) => namespace.name);
      if (!isAll && !names.includes(name)) {
        throw new MonError('not_found', `no such namespace, or you may not read it: use one of ${names.join(', ')}`);
      }
      const kept = portableSettings(store.state);
      const next = { ...shown, namespace: name === DEFAULT_NAMESPACE ? undefined : name };
      const view = isAll && !isOfNamespaces(kept.view) ? 'events' : kept.view;
      show(next, store.options.contexts?.current, { ...kept, view });
    });

  /**
   * Shows the lists of another moment in a new store. An incident stays open, because it shows the moment as a cursor.
   */
  const showMoment = (followed?: FollowedFeed): void => {
    const layers = store.state.layers.filter(({ kind }) => kind === 'incident');
    show(shown, store.options.contexts?.current, portableSettings(store.state), followed);
    store.adjustState({ layers });
  };
  /** The rates of results when the user left live data. */
  let liveRates: { readonly rates: readonly number[]; readonly atMs: number } = { rates: [], atMs: 0 };

  const past = new Travel({
    store: () => store,
    api: () => shown.api(shown.namespace),
    areAllNamespacesShown: () => shown.namespace === EVERY_NAMESPACE,
    // A past moment is shown from a separate store that no feed updates.
    enter: () => {
      const { backendName: name = '', backendVersion: version = '', rates } = store.feed;
      const isFirst = store.state.past === undefined;
      if (isFirst) liveRates = { rates, atMs: clock.now() };
      showMoment(NO_FEED);
      store.greeted({ name, version, time: clock.now() });
      if (isFirst) store.say('values are as of the last change; press [ or ] for other changes');
      return store;
    },
    paint: () => scheduler.paintNow(),
  });
  /** Shows a moment of the past. Without `atMs`, shows live data again; the screen settings stay the same. */
  const travel = (atMs: number | undefined): Promise<void> => {
    if (atMs !== undefined) return whileTyping(() => past.travelTo(atMs));
    past.stop();
    return whileTyping(async () => {
      showMoment();
      const { rates, atMs: leftAtMs } = liveRates;
      store.keepRates(rates, clock.now() - leftAtMs);
    });
  };

  /** Shows that a request is under way if it takes long. Disposing of the result removes the message. */
  const saySending = (on: ConsoleStore): Disposable => {
    let message: ConsoleMessage | undefined;
    const timer = clock.after(SENDING_MESSAGE_DELAY_MS, () => {
      // The message is not for the log, and it stays until the request ends.
      message = { text: 'sending …', tone: 'note', atMs: Infinity };
      on.update({ message });
      scheduler.paintNow();
    });
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        if (message !== undefined && on.state.message === message) on.update({ message: undefined });
      },
    };
  };

  /** Releases an upgrade plan. It never throws, and does not wait long, because quitting must always work. */
  const releasePlan = async (id: number): Promise<void> => {
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const timer = clock.after(RELEASE_MS, resolve);
    const order = async (): Promise<void> =>
      void (await (await upgradesOf(shown)()).order(id, { order: 'release', session: store.options.session }));
    await Promise.race([order().catch(() => undefined), isLate]);
    timer[Symbol.dispose]();
  };
  let isQuitting = false;
  /** Quits, and first releases the upgrade plan that this console owns, so that others need not wait or ask. */
  const quit = (): void => {
    const { plan } = store.plans;
    const mustRelease = plan !== undefined && isOwnedBy(plan, store.options.session) && isConnected(store.feed);
    if (isQuitting || !mustRelease) return parts.onQuit();
    isQuitting = true;
    void releasePlan(plan.id).finally(parts.onQuit);
  };

  const run = async (effect: Effect): Promise<void> => {
    const sending = SENDING_EFFECTS.has(effect.kind) ? saySending(store) : undefined;
    await runEffect(effect, {
      store,
      api: store.state.past === undefined ? apiOf(shown, store) : rejectForPast,
      history: apiOf(shown, store),
      upgrades: upgradesOf(shown),
      feed,
      repaint,
      runInTerminal: parts.runInTerminal,
      suspend: parts.suspend ?? (() => Promise.resolve(false)),
      quit,
      saveView: parts.saveView ?? noConfiguration,
      switchContext,
      switchNamespace,
      travel,
      terminal: {
        writeRaw: (text) => stdout.writeRaw(text),
        isTmux: parts.isTmux ?? false,
        loadTmuxBuffer: parts.loadTmuxBuffer,
      },
    });
    sending?.[Symbol.dispose]();
    // A frame is drawn at once after an effect that the user requested. After a background update, the next regular
    // frame is soon enough.
    const isUpkeep = effect.kind === 'load-view' || (effect.kind === 'load-event' && effect.into === 'pane');
    if (!isUpkeep) scheduler.paintNow();
  };
  let { mouse } = store.state;
  const runEffects = (): void => {
    if (store.state.mouse !== mouse) {
      ({ mouse } = store.state);
      parts.setMouse?.(mouse);
    }
    for (const effect of store.takeEffects()) void run(effect);
  };

  const input = (event: InputEvent): void => {
    if (!isInterrupt(event) && ahead.buffer(event)) {
      if (!past.isUnderWay || !isEscape(event)) return;
      ahead.forget();
      return past.cancel();
    }
    handleInput(store, event);
    scheduler.paintNow();
    // Effects run even if the terminal is too busy for a frame, because quitting must always work.
    runEffects();
  };

  let resizeTimer: Disposable | undefined;
  const onResize = (): void => {
    store.resized({ columns: stdout.columns, rows: stdout.rows });
    scheduler.paintNow();
    resizeTimer?.[Symbol.dispose]();
    resizeTimer = clock.after(RESIZE_IDLE_MS, repaint);
  };
  stdout.on('resize', onResize);

  return {
    input,
    repaint,
    [Symbol.dispose]: () => {
      stdout.off('resize', onResize);
      resizeTimer?.[Symbol.dispose]();
      scheduler[Symbol.dispose]();
      feed.close();
      viewFeed?.close();
      ink.unmount();
    },
  };
}
