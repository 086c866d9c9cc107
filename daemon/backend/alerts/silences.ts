import { randomUUID } from 'node:crypto';
import type { ALERTMANAGER_API } from '../../../shared/api/alertmanager.ts';
import {
  areSameMatchers,
  matchersOfSilence,
  startOf,
  STARTS_AT_ANNOTATION,
} from '../../../shared/domain/alert-silence.ts';
import { matchersText, parseMatcherSelector } from '../../../shared/domain/matcher-selector.ts';
import { isActive, replacementProblem, silencedEntry } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { postedSilenceSchema, type PostedSilence, type ShownSilence } from '../../../shared/schemas/alert.ts';
import { LIFETIME_SECONDS_MAX } from '../../../shared/schemas/lifetime.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { readBody, schemaValidator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { Handlers } from '../http/route.ts';
import type { NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import { refuseV2AgainstPolicy } from '../silences/policy.ts';
import { unexpiredEntries } from '../silences/queries.ts';
import { unexpiredEntry, type SilencedEntries } from '../silences/commands.ts';
import { alertNamespace, labelFilterOf } from './query-filters.ts';

/** The dependencies of the routes for silences in the Alertmanager API. */
export interface AlertSilenceDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'program'>;
  readonly silenced: SilencedEntries;
}

/** The id of a silence, with the subscription, check or selector that decides which events it matches. */
type SilenceTarget = Pick<SilencedEntry, 'id' | 'subscription' | 'check' | 'selector'>;

type SilenceHandlers = Handlers<
  Pick<typeof ALERTMANAGER_API, 'silences' | 'silence' | 'postSilence' | 'deleteSilence'>
>;

const validatePostedSilence = schemaValidator(postedSilenceSchema);

/** Serves silences in the Alertmanager API (prometheus 2.1 to 2.3). */
export function silencesOnAlertmanager(deps: AlertSilenceDependencies): SilenceHandlers {
  const { clock, config, silenced } = deps;

  /** Returns the unexpired silence with an id. @throws MonError `not_found` if there is none */
  const entryOf = (request: Parameters<SilenceHandlers['silence']>[0], id: string): SilencedEntry => {
    const entry = unexpiredEntry(alertNamespace(request, deps), id, clock.now());
    if (entry !== undefined) return entry;
    throw missingSilence(id);
  };
  const shown = (entry: SilencedEntry): ShownSilence => ({
    id: entry.id,
    matchers: [...matchersOfSilence(entry, config.program.alerts)],
    startsAt: isoTime(startOf(entry)),
    endsAt: isoTime(entry.expireAtMs ?? clock.now() + LIFETIME_SECONDS_MAX * 1000),
    updatedAt: isoTime(entry.timestamp * 1000),
    createdBy: entry.creator ?? '',
    comment: entry.reason ?? '',
    status: { state: isActive(entry, clock.now()) ? 'active' : 'pending' },
  });

  return {
    silences: (request, reply) => {
      const hasSelectedLabels = labelFilterOf(request);
      const entries = unexpiredEntries(alertNamespace(request, deps).silenced.all(), clock.now());
      const where = ({ matchers }: ShownSilence): boolean =>
        hasSelectedLabels(Object.fromEntries(matchers.map(({ name, value }) => [name, value])));
      return sendList(request, reply, entries, (some) => some.map(shown).filter(where), { isPaginated: false });
    },
    silence: (request) => shown(entryOf(request, pathName(request, 'id'))),
    postSilence: async (request) => {
      alertNamespace(request, deps);
      const posted = readBody(request, validatePostedSilence);
      const before = posted.id ? entryOf(request, posted.id) : undefined;
      const target = targetOf(posted, before);
      const creator = creatorOf(request.principal, posted.createdBy) || null;
      const actor = actorOf(request, creator);
      if (target.selector !== undefined) await silenced.loadSelectorAttributes(DEFAULT_NAMESPACE, [target.selector]);
      const make = (present: SilencedEntry | undefined, nowMs: number): SilencedEntry => {
        if (present === undefined && target.id === before?.id) throw missingSilence(target.id);
        const entry = buildEntry({ ...posted, createdBy: creator ?? '' }, target, present, nowMs);
        refuseV2AgainstPolicy(deps, entry);
        const lost = replacementProblem(before, entry);
        if (lost !== undefined) throw new MonError('conflict', lost);
        return entry;
      };
      await silenced.write(DEFAULT_NAMESPACE, target.id, make, actor);
      // A posted silence whose matchers changed was stored as a new silence, so the previous silence must end.
      if (before !== undefined && before.id !== target.id) await endReplaced(before.id, actor);
      return { silenceID: target.id };
    },
    deleteSilence: async (request, reply) => {
      const { id } = entryOf(request, pathName(request, 'id'));
      await silenced.clear(DEFAULT_NAMESPACE, { id }, actorOf(request));
      return reply.send();
    },
  };

  /**
   * Returns the target of a posted silence. If it updates `before` and the matchers are unchanged, it keeps the id of
   * `before`; otherwise it gets a new id.
   *
   * @throws MonError `invalid` if the matchers are invalid
   */
  function targetOf({ matchers }: PostedSilence, before: SilencedEntry | undefined): SilenceTarget {
    if (before !== undefined && areSameMatchers(matchers, matchersOfSilence(before, config.program.alerts)))
      return before;
    const selector = parseMatcherSelector(matchersText(matchers));
    if (selector.kind === 'problem') throw new MonError('invalid', `matchers: ${selector.message}`);
    return { id: randomUUID(), subscription: null, check: null, selector: selector.text };
  }

  async function endReplaced(id: string, actor: Actor): Promise<void> {
    try {
      await silenced.clear(DEFAULT_NAMESPACE, { id }, actor);
    } catch (error) {
      if (!(error instanceof MonError) || error.code !== 'not_found') throw error;
    }
  }
}

function missingSilence(id: string): MonError {
  return new MonError('not_found', `there is no silence ${id}: it has expired, or never existed`);
}

/**
 * Builds the silence to store from a posted silence.
 *
 * @throws MonError `invalid` if it ends before it begins, has already ended, or lasts too long
 */
function buildEntry(
  { startsAt, endsAt, createdBy, comment }: PostedSilence,
  { id, subscription, check, selector }: SilenceTarget,
  before: SilencedEntry | undefined,
  nowMs: number,
): SilencedEntry {
  if (endsAt === undefined || endsAt <= nowMs) throw new MonError('invalid', 'endsAt must be in the future');
  if (startsAt !== undefined && startsAt >= endsAt) throw new MonError('invalid', 'endsAt must be after startsAt');
  if (endsAt > nowMs + LIFETIME_SECONDS_MAX * 1000) {
    throw new MonError('invalid', 'endsAt must be within a hundred years');
  }
  const begin = startsAt === undefined || startsAt <= nowMs ? null : Math.floor(startsAt / 1000);
  const { expire_on_resolve, labels, annotations } = before ?? {};
  const request = { subscription, check, selector, begin, reason: comment, creator: createdBy || null };
  return {
    ...silencedEntry({ ...request, expire_on_resolve }, nowMs),
    id,
    expireAtMs: endsAt,
    ...(labels !== undefined && { labels }),
    annotations: { ...annotations, ...(startsAt !== undefined && { [STARTS_AT_ANNOTATION]: String(startsAt) }) },
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
