import { answerProblems, valueProblems } from './compare.ts';
import { PlayedAgent } from './agent.ts';
import { V2Scene } from './v2-scene.ts';
import {
  sortedByEntity,
  handledEventsOf,
  jsonsOf,
  type Exchange,
  type Frame,
  type Group,
  type Line,
  type Observation,
} from './recording.ts';

/**
 * Matches the token that requests the next page of a list. The tokens of this backend have another format than those of
 * Sensu Go.
 */
const CONTINUED = /(?<=[?&]continue=)[^&]+/;

/** The outcome of replaying one recorded line. */
export interface Outcome {
  readonly line: Line;
  /** The lines before this line that were replayed on the same backend. */
  readonly earlier: readonly Line[];
  /** A readable description of the action or observation. */
  readonly what: string;
  /** The differences from the recording, as text; empty if there are none. */
  readonly problems: readonly string[];
  /** The actual response or observation, to compare it with the correct one if a decision applies. */
  readonly got: unknown;
}

type LineResult = Omit<Outcome, 'line' | 'earlier'>;

/**
 * Replays groups of the recording on one new backend, in their order. The clock starts at the time of the first group.
 */
export async function replayGroups(groups: readonly Group[]): Promise<Outcome[]> {
  await using scene = await V2Scene.open(groups[0]?.begun);
  const lines = groups.flatMap((group) => group.lines);
  const outcomes: Outcome[] = [];
  for (const group of groups) {
    await using play = new Play(scene, group);
    for (const line of group.lines) {
      const earlier = lines.slice(0, outcomes.length);
      outcomes.push({ line, earlier, ...(await play.perform(line)) });
    }
  }
  return outcomes;
}

interface Change {
  readonly entity: string;
  readonly atSeconds: number;
  readonly event: unknown;
}

/** Tolerance for the time of an observation, in seconds: the recorder polls, and counts whole seconds. */
const TIME_TOLERANCE_S = 1.2;

class Play implements AsyncDisposable {
  readonly #scene: V2Scene;
  readonly #group: Group;
  readonly #agents = new Map<string, PlayedAgent>();
  /** Passwords by user name, taken from the recorded requests that created the users. */
  readonly #passwords = new Map<string, string>();
  /**
   * Names of handlers by their first filter. `#filters` contains the names of filters by their action and expressions.
   */
  readonly #handlers = new Map<string, string>();
  readonly #filters = new Map<string, string>();
  readonly #generatedValues = { key: '', uuid: '', etag: '', next: '', refresh: '' };
  #case = '';
  #caseBegunMs = 0;
  /** Changes of stored events in this case; `undefined` until the first observation of a stored event. */
  #changes: Change[] | undefined;
  #runs: readonly string[] | undefined;

  constructor(scene: V2Scene, group: Group) {
    this.#scene = scene;
    this.#group = group;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) agent.terminate();
    await this.#scene.waitUntilIdle();
  }

  async perform(line: Line): Promise<LineResult> {
    if (line.case !== this.#case) {
      this.#case = line.case;
      this.#caseBegunMs = this.#scene.clock.now();
      this.#changes = undefined;
      this.#runs = undefined;
    }
    await this.#scene.pass(line.waitMs);
    switch (line.kind) {
      case 'exchange':
        return await this.#exchange(line);
      case 'frame':
        return await this.#sendAgentFrame(line);
      default:
        return await this.#observe(line);
    }
  }

  async #exchange(line: Line & Exchange): Promise<LineResult> {
    if (line.method === 'DELETE' && this.#expectedFrames(line) > 0) await this.#awaitFrames(line);
    const { method, path, answer } = line;
    // The recorder watched the events beyond the last observed change, so advance to the last run of a check in the
    // response.
    if (this.#changes !== undefined) await this.#passUntil(lastRunIn(answer.body));
    this.#remember(line);
    const headers = await this.#headers(line);
    const body = this.#sentBody(line);
    const request = {
      method,
      target: this.#filled(path).replace(CONTINUED, this.#generatedValues.next),
      headers,
      body: body ?? null,
    };
    const actual = await (answer.status === 401 ? this.#scene.askSlowly(request) : this.#scene.ask(request));
    const location = actual.headers['location'];
    if (location?.includes('/apikeys/') === true)
      this.#generatedValues.key = location.slice(location.lastIndexOf('/') + 1);
    this.#generatedValues.etag = actual.headers['etag'] ?? this.#generatedValues.etag;
    this.#generatedValues.next = actual.headers['sensu-continue'] ?? '';
    if (method !== 'GET' && path.includes('/events')) await this.#scene.waitUntilIdle();
    const got = { status: actual.status, headers: actual.headers, body: bodyOf(actual.text, actual.body) };
    const problems = answerProblems(method === 'HEAD' ? { ...answer, body: null } : answer, got);
    return { what: `${method} ${path}`, problems, got };
  }

  /**
   * Advances the clock to a time.
   *
   * @param second time in epoch seconds; if it is `undefined` or in the past, the call returns at once
   */
  async #passUntil(second: number | undefined): Promise<void> {
    const leftMs = (second ?? 0) * 1000 - this.#scene.clock.now();
    if (leftMs > 0) await this.#scene.pass(leftMs);
  }

  async #headers({ headers, body, case: name }: Line & Exchange): Promise<Record<string, string>> {
    const all: Record<string, string | null> = {
      Authorization: `Bearer ${await this.#scene.token()}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const filled: Record<string, string> = {};
    for (const [header, value] of Object.entries(all)) {
      if (value === null) continue;
      const isTag = header === 'If-Match' || header === 'If-None-Match';
      if (isTag && !value.includes('*')) filled[header] = this.#generatedValues.etag || value;
      else
        filled[header] = value.includes('<token>')
          ? value.replace('<token>', await this.#tokenFor(name))
          : this.#filled(value);
    }
    return filled;
  }

  /**
   * Logs in as the user in the name of the case, `enforcement (token of user viewer)`, and returns the access token.
   * Without a user in the name, it logs in as the administrator.
   */
  async #tokenFor(name: string): Promise<string> {
    const user = /token of user ([\w.-]+)/.exec(name)?.[1];
    const password = user === undefined ? undefined : this.#passwords.get(user);
    const { access, refresh } = await this.#scene.logIn(user, password);
    this.#generatedValues.refresh = refresh;
    return access;
  }

  #remember({ path, body }: Exchange): void {
    const { username, password, expressions, action, filters, metadata } = (body ?? {}) as Record<string, unknown>;
    if (typeof username === 'string' && typeof password === 'string') this.#passwords.set(username, password);
    const { name } = (metadata ?? {}) as { readonly name?: string };
    if (name === undefined) return;
    if (path.includes('/filters/')) this.#filters.set(JSON.stringify([action, expressions]), name);
    if (path.includes('/handlers/') && Array.isArray(filters)) this.#handlers.set(String(filters[0]), name);
  }

  #sentBody({ body }: Exchange): string | undefined {
    if (body === undefined) return undefined;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.#filled(text)
      .replaceAll('<token>', this.#generatedValues.refresh)
      .replaceAll(/\bout\/(?=[\w-]+\.log\b)/g, `${this.#scene.dir}/out/`);
  }

  #filled(text: string): string {
    return text.replaceAll('<key>', this.#generatedValues.key).replaceAll('<uuid>', this.#generatedValues.uuid);
  }

  async #sendAgentFrame(line: Line & Frame): Promise<LineResult> {
    const agent = this.#agents.get(line.agent) ?? (await this.#connect(line.agent, { isKnown: true }));
    const entityName = line.agent;
    const events = `/api/core/v2/namespaces/${this.#namespace}/events/${entityName}`;
    const before = (await this.#scene.ask({ method: 'GET', target: events, headers: await this.#bearer() })).text;
    agent.sendFrame({ type: line.type, payload: line.payload });
    await this.#waitUntil(agent, async () => {
      return (await this.#scene.ask({ method: 'GET', target: events, headers: await this.#bearer() })).text !== before;
    });
    return { what: `${line.agent} says ${line.type}`, problems: [], got: undefined };
  }

  async #connect(name: string, { isKnown }: { readonly isKnown: boolean }): Promise<PlayedAgent> {
    const agent = await PlayedAgent.connect(this.#scene.agentUrl, {
      name,
      namespace: name === 'no-namespace' ? 'none-such' : this.#namespace,
      password: name === 'wrong-password' ? 'wrong' : 'P@ssw0rd!',
      subscriptions: ['s1', `entity:${name}`],
      speaksJson: name !== 'pb',
    });
    if (isKnown || agent.status === 101) this.#agents.set(name, agent);
    return agent;
  }

  async #observe(line: Line & Observation): Promise<LineResult> {
    switch (line.what) {
      case 'filter':
        return await this.#filter(line);
      case 'upgrade':
        return await this.#upgrade(line);
      case 'frame':
        return await this.#frame(line);
      case 'no-frame':
        return await this.#silence(line);
      case 'close':
        return await this.#close(line);
      case 'keepalive':
      case 'ttl':
        return await this.#compareStoredEvent(line);
      case 'namespace-known':
        return { what: 'the namespace is known', problems: [], got: undefined };
      default:
        return await this.#handler(line);
    }
  }

  async #filter({ record }: Observation): Promise<LineResult> {
    this.#runs ??= await this.#scene
      .newLinesOf('fva.log')
      .then(async (lines) => [...lines, ...(await this.#scene.newLinesOf('fvb.log'))]);
    const { expression, expressions = [expression], action = 'allow', handled } = record;
    const asked = JSON.stringify([action, expressions]);
    const handler = this.#handlers.get(this.#filters.get(asked) ?? '') ?? '';
    const got = (this.#runs ?? []).includes(handler);
    const problems = got === handled ? [] : [`handled: expected ${String(handled)}, got ${String(got)}`];
    return { what: typeof expression === 'string' ? expression : asked, problems, got };
  }

  async #handler({ what, data }: Observation): Promise<LineResult> {
    const handler = what.slice('handler:'.length);
    const prefix = this.#group.name.startsWith('handlers-stdin') ? `hs${this.#group.name.at(-1) ?? ''}-` : '';
    const name = (await this.#logOf(handler)) ?? `${prefix}${handler}.log`;
    const got = sortedByEntity((await this.#scene.newLinesOf(name)).flatMap((text) => jsonsOf(text)));
    const expected = handledEventsOf(data);
    return { what, problems: valueProblems(expected, got), got };
  }

  /** Returns the name of the file to which the handler's command appends; `undefined` if there is none. */
  async #logOf(handler: string): Promise<string | undefined> {
    const target = `/api/core/v2/namespaces/${this.#namespace}/handlers/${handler}`;
    const { text } = await this.#scene.ask({ method: 'GET', target, headers: await this.#bearer() });
    return /\/out\/([\w-]+\.log)/.exec(text)?.[1];
  }

  async #upgrade({ agent = '', record, data }: Observation): Promise<LineResult> {
    const played = await this.#connect(agent, { isKnown: false });
    const { status, answer } = played;
    const got = { status, answer };
    const what = `${agent} connects`;
    const { status: expected, headers } = record;
    if (status !== expected) {
      // The recorded agent was not connected either, so no later line reads messages of this connection.
      played.terminate();
      this.#agents.delete(agent);
      return { what, problems: [`status: expected ${String(expected)}, got ${String(status)}`], got };
    }
    const expectedHeaders = (headers ?? (data as { readonly headers?: unknown } | undefined)?.headers ?? {}) as Record<
      string,
      string
    >;
    const problems = ['accept', 'content-type']
      .filter((name) => expectedHeaders[name] !== undefined && answer[name] !== expectedHeaders[name])
      .map((name) => `${name}: expected ${String(expectedHeaders[name])}, got ${String(answer[name])}`);
    return { what, problems, got };
  }

  async #frame({ agent = '', data }: Observation): Promise<LineResult> {
    const played = this.#agents.get(agent) ?? (await this.#connect(agent, { isKnown: true }));
    await this.#waitUntil(played, () => played.unreadCount > 0);
    const got = played.takeNextFrame();
    const what = `${agent} hears ${String((data as { readonly type?: unknown }).type)}`;
    return { what, problems: got === undefined ? ['nothing was heard'] : valueProblems(data, got), got };
  }

  async #silence({ agent = '' }: Observation): Promise<LineResult> {
    await this.#scene.waitUntilIdle();
    const got = this.#agents.get(agent)?.takeNextFrame();
    return { what: `${agent} hears nothing`, problems: got === undefined ? [] : [JSON.stringify(got)], got };
  }

  async #close({ agent = '', record }: Observation): Promise<LineResult> {
    const played = this.#agents.get(agent);
    // Code 1005 means that the agent closed the connection itself.
    if (record['code'] === 1005) played?.closeGracefully();
    if (played !== undefined) await this.#waitUntil(played, () => played.closeReason !== undefined);
    const got = played?.closeReason;
    const expected = { code: record['code'], reason: record['reason'] };
    return {
      what: `${agent} is hung up on`,
      problems: got === undefined ? ['is open'] : valueProblems(expected, got),
      got,
    };
  }

  /**
   * Compares a stored event with the recorded one. The recorder polled it and recorded each change of its status or
   * occurrences.
   */
  async #compareStoredEvent({ what, agent, atSeconds = 0, data }: Observation): Promise<LineResult> {
    this.#changes ??= await this.#watch(what);
    const entity = agent ?? entityIn(data);
    const at = this.#changes.findIndex((change) => change.entity === entity);
    const [change] = at === -1 ? [] : this.#changes.splice(at, 1);
    const moment = `${entity} after ${String(atSeconds)} s`;
    if (change === undefined) return { what: moment, problems: ['nothing changed'], got: undefined };
    const isInTime = Math.abs(change.atSeconds - atSeconds) <= TIME_TOLERANCE_S;
    return {
      what: moment,
      problems: [
        ...(isInTime ? [] : [`at_s: expected ${String(atSeconds)}, got ${String(change.atSeconds)}`]),
        ...valueProblems(data, change.event),
      ],
      got: change,
    };
  }

  async #watch(what: string): Promise<Change[]> {
    const lines = this.#group.lines.filter((line) => line.case === this.#case && line.kind === 'observation');
    const seen = lines.filter((line): line is Line & Observation => line.kind === 'observation' && line.what === what);
    const endMs = Math.max(...seen.map(({ atSeconds = 0 }) => atSeconds)) * 1000 + 600;
    const changes: Change[] = [];
    const known = new Map<string, string>();
    const look = async (): Promise<void> => {
      const target = `/api/core/v2/namespaces/${this.#namespace}/events`;
      const { body } = await this.#scene.ask({ method: 'GET', target, headers: await this.#bearer() });
      const atSeconds = (this.#scene.clock.now() - this.#caseBegunMs) / 1000;
      for (const event of Array.isArray(body) ? (body as unknown[]) : []) {
        const entity = entityIn(event);
        const { status, occurrences } = (event as { check: Record<string, unknown> }).check;
        const key = `${String(status)} ${String(occurrences)}`;
        if (known.get(entity) === key) continue;
        known.set(entity, key);
        changes.push({ entity, atSeconds, event });
      }
    };
    await look();
    await this.#scene.pass(Math.max(0, endMs - (this.#scene.clock.now() - this.#caseBegunMs)), look);
    return changes;
  }

  /**
   * Returns the number of frames that agents receive in this case after the line. If the recording states that no frame
   * must arrive, returns 1, so that a wrong frame is awaited too.
   */
  #expectedFrames({ case: name, number }: Line): number {
    const heard = (what: string): number =>
      this.#group.lines.filter(
        (line) => line.case === name && line.number > number && line.kind === 'observation' && line.what === what,
      ).length;
    return heard('frame') || Math.min(1, heard('no-frame'));
  }

  /**
   * Waits for the expected frames before published checks are deleted, so that agents get as many check requests as the
   * recorded ones.
   */
  async #awaitFrames(line: Line): Promise<void> {
    const wanted = this.#expectedFrames(line);
    const heard = (): number => [...this.#agents.values()].reduce((sum, { unreadCount }) => sum + unreadCount, 0);
    for (let step = 0; step < FRAME_STEPS && heard() < wanted; step++) {
      await this.#scene.pass(300);
      // A frame that is still in transit counts too. If the clock advanced without it, the check would run once more
      // than recorded.
      await this.#scene.waitUntilIdle();
      for (const agent of this.#agents.values()) await agent.catchUp();
    }
  }

  /**
   * Waits until all consequences of the action are stored and sent, and tests the condition, a few times. If the
   * condition never becomes true, the following comparison fails.
   */
  async #waitUntil(agent: PlayedAgent, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    for (let look = 0; look < LOOKS; look++) {
      await agent.catchUp();
      await this.#scene.waitUntilIdle();
      if (await isTrue()) return;
    }
  }

  async #bearer(): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${await this.#scene.token()}` };
  }

  get #namespace(): string {
    for (const line of this.#group.lines) {
      const name = line.kind === 'exchange' ? /\/namespaces\/(g-[\w-]+)/.exec(line.path)?.[1] : undefined;
      if (name !== undefined) return name;
    }
    return 'default';
  }
}

const LOOKS = 5;
/**
 * Maximum number of steps of 300 ms: twelve seconds, in which a check with an interval of two seconds certainly runs.
 */
const FRAME_STEPS = 40;

function entityIn(event: unknown): string {
  return (event as { entity: { metadata: { name: string } } }).entity.metadata.name;
}

/** Returns the time of the last check run in a response, in epoch seconds; `undefined` if it contains none. */
function lastRunIn(body: unknown): number | undefined {
  const events = (Array.isArray(body) ? body : [body]) as readonly ({ check?: { executed?: number } } | null)[];
  const times = events.flatMap((event) => event?.check?.executed ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Returns the body parsed as JSON, or as text if it is not JSON; null if it is empty. */
function bodyOf(text: string, body: unknown): unknown {
  return text === '' ? null : (body ?? text);
}
