import { setImmediate as nextTurn } from 'node:timers/promises';
import { together } from '../../../shared/domain/report/actions.ts';
import { Causes } from '../../../shared/domain/report/causes.ts';
import { longestFirst, troubleOf, worstFirst, type Trouble } from '../../../shared/domain/report/checks.ts';
import { FirstOf } from '../../../shared/domain/report/first-of.ts';
import { Noise } from '../../../shared/domain/report/noise.ts';
import type { Span } from '../../../shared/domain/timeline/availability.ts';
import type { Report, ReportCheck } from '../../../shared/schemas/report.ts';
import { shownOutput } from '../events/rows.ts';
import type { AskedNamespaces } from '../namespaces/asked.ts';
import type { ReadStore } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import { SilencesOfPast, type Kept } from '../timeline/availability.ts';
import { downFrom } from '../timeline/places.ts';
import { silencesIn } from '../timeline/read.ts';
import { indexOfCheck, lastIdOf, timeOf } from '../timeline/table.ts';
import { gather, SLICE, type PastOfCheck } from './gather.ts';
import { SilencesAt } from './silences.ts';

/** Maximum number of checks listed as noisy. */
const NOISIEST = 10;

/** Maximum number of transitions searched for the begin of an event before the span. */
const LOOKED_BACK = 1000;

/** The parameters of a report. */
export interface WantedReport {
  readonly asked: AskedNamespaces;
  readonly span: Span;
  /** Undefined: no timeline is retained. */
  readonly kept: Kept | undefined;
  /** Maximum length of each list. */
  readonly limit: number;
  readonly transitionsMax?: number;
}

/** A check that was not OK, with its history. */
interface Found {
  readonly past: PastOfCheck;
  readonly trouble: Trouble;
}

/** Returns a report without the audit trail (spec, report). */
export async function readReport(store: ReadStore, wanted: WantedReport): Promise<Omit<Report, 'changes'>> {
  const { asked, span, limit } = wanted;
  const kept = wanted.kept ?? { sinceMs: span.untilMs, perCheck: Infinity };
  const { pasts, actions, cutMs } = await gather(store, asked, span, wanted.transitionsMax);
  const told = { ...kept, sinceMs: Math.min(Math.max(kept.sinceMs, cutMs ?? 0), span.untilMs) };
  const { open, resolved, causes, noise, total } = await judged(pasts, asked, { span, kept: told, limit });
  const shown = new ShownChecks(store, { asked, span, kept: told });
  const deeds = together(actions);
  return {
    since: span.sinceMs,
    until: span.untilMs,
    complete_since: wanted.kept === undefined ? null : Math.max(told.sinceMs, span.sinceMs),
    truncated: cutMs !== undefined,
    total,
    open: { count: open.count, checks: await shown.of(open.items()) },
    resolved: { count: resolved.count, checks: await shown.of(resolved.items()) },
    inhibited: causes.first(limit),
    noisiest: noise.first(NOISIEST),
    actions: { count: deeds.length, actions: deeds.slice(0, limit) },
  };
}

interface Judged {
  readonly open: FirstOf<Found>;
  readonly resolved: FirstOf<Found>;
  readonly causes: Causes;
  readonly noise: Noise;
  readonly total: Report['total'];
}

async function judged(
  pasts: readonly PastOfCheck[],
  { placed }: AskedNamespaces,
  { span, kept, limit }: { readonly span: Span; readonly kept: Kept; readonly limit: number },
): Promise<Judged> {
  const open = new FirstOf<Found>(limit, (a, b) => worstFirst(a.trouble, b.trouble));
  const resolved = new FirstOf<Found>(limit, (a, b) => longestFirst(a.trouble, b.trouble));
  const causes = new Causes();
  const noise = new Noise();
  const clients = new Set<string>();
  const total = { checks: 0, clients: 0, outages: 0, down: 0 };
  let looked = 0;
  for (const past of pasts) {
    if ((looked += 1 + past.turns.length) >= SLICE) {
      looked = 0;
      await nextTurn();
    }
    const trouble = troubleOf(past, span, keptSinceOf(past, kept));
    if (trouble === undefined) continue;
    const { name } = past.namespace;
    (trouble.ended === null ? open : resolved).add({ past, trouble });
    causes.count(trouble, placed({}, name));
    noise.count(`${name}\0${past.check}`, trouble, placed({}, name));
    clients.add(`${name}\0${past.client}`);
    total.checks++;
    total.outages += trouble.outages;
    total.down += trouble.down;
  }
  return { open, resolved, causes, noise, total: { ...total, clients: clients.size } };
}

/**
 * Returns the time from which a check is complete. At its maximum number of transitions, older ones may have been
 * erased.
 */
function keptSinceOf({ turns }: PastOfCheck, kept: Kept): number {
  const oldest = turns.at(-1);
  return oldest !== undefined && turns.length >= kept.perCheck ? oldest.atMs : kept.sinceMs;
}

/** Looks up details only for the checks that are shown: silences, outputs, and begin. */
class ShownChecks {
  readonly #store: ReadStore;
  readonly #about: { readonly asked: AskedNamespaces; readonly span: Span; readonly kept: Kept };
  readonly #silences = new Map<Namespace, { readonly spans: SilencesOfPast; readonly atEnd: SilencesAt }>();

  constructor(store: ReadStore, about: { readonly asked: AskedNamespaces; readonly span: Span; readonly kept: Kept }) {
    this.#store = store;
    this.#about = about;
  }

  async of(found: readonly Found[]): Promise<ReportCheck[]> {
    const shown: ReportCheck[] = [];
    for (const one of found) {
      shown.push(await this.#shown(one));
      await nextTurn();
    }
    return shown;
  }

  async #shown({ past, trouble }: Found): Promise<ReportCheck> {
    const { asked, span, kept } = this.#about;
    const { namespace, client, check } = past;
    const { spans, atEnd } = await this.#silencesIn(namespace);
    const quiet = await spans.of(client, check);
    const whole = (quiet.length > 0 && troubleOf(past, span, keptSinceOf(past, kept), quiet)) || trouble;
    const began = whole.began ?? (await this.#beginningOf(past));
    const silences = whole.ended === null ? await atEnd.of(client, check) : [];
    return asked.placed({ ...whole, began, output: outputOf(past), silences }, namespace.name);
  }

  async #silencesIn(namespace: Namespace): Promise<{ readonly spans: SilencesOfPast; readonly atEnd: SilencesAt }> {
    let silences = this.#silences.get(namespace);
    if (silences === undefined) {
      const known = await silencesIn(this.#store, namespace);
      const { span } = this.#about;
      silences = {
        spans: new SilencesOfPast(this.#store, known, this.#about),
        atEnd: new SilencesAt(this.#store, known, span.untilMs),
      };
      this.#silences.set(namespace, silences);
    }
    return silences;
  }

  /** Returns the begin of the state at the start of the span; null: no longer known. */
  async #beginningOf({ namespace, client, check }: PastOfCheck): Promise<number | null> {
    const source = { namespace: namespace.name, prefix: indexOfCheck(namespace.name, client, check) };
    const { span, kept } = this.#about;
    const before = lastIdOf(Math.max(span.sinceMs, kept.sinceMs)) + 1;
    let looked = 0;
    for await (const { id, text } of downFrom(this.#store, source, before)) {
      const [was] = text.split('>');
      if (was === '' || was === '0') return timeOf(id);
      if (++looked >= LOOKED_BACK) break;
    }
    return null;
  }
}

/** Returns the output as the list of events shows it; for an event from before the span its present output. */
function outputOf({ namespace, client, check, output }: PastOfCheck): string {
  const entry = namespace.check(client, check);
  return output ?? (entry === undefined ? '' : shownOutput(entry.client, entry.summary));
}
