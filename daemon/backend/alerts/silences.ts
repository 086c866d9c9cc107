import type { ALERTMANAGER_API } from '../../../shared/api/alertmanager.ts';
import { MATCHERS_ANNOTATION, matchersOf, silencePlan } from '../../../shared/domain/alert-silence.ts';
import { isActive, replacementProblem, silencedEntry, targetId } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import { postedSilenceSchema, type PostedSilence, type ShownSilence } from '../../../shared/schemas/alert.ts';
import { LIFETIME_SECONDS_MAX } from '../../../shared/schemas/lifetime.ts';
import { nameSchema, subscriptionSchema } from '../../../shared/schemas/name.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { readBody, validator } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { Handlers } from '../http/route.ts';
import { v1Namespace, type NamespaceDeps } from '../namespaces/asked.ts';
import type { Clock } from '../ports.ts';
import { refuseV2AgainstPolicy } from '../silences/policy.ts';
import { livingEntries } from '../silences/read.ts';
import { livingEntry, type SilencedEntries } from '../silences/write.ts';
import { labelsAskedFor } from './wishes.ts';

/** What silences are made of. */
export interface AlertSilenceDeps extends NamespaceDeps {
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'program'>;
  readonly silenced: SilencedEntries;
}

type AlertPlaceOfSilence = Pick<SilencedEntry, 'subscription' | 'check' | 'selector'>;

type Served = Handlers<Pick<typeof ALERTMANAGER_API, 'silences' | 'silence' | 'postSilence' | 'deleteSilence'>>;

const validate = validator(postedSilenceSchema);

/** The silenced registry, as an Alertmanager has it (prometheus 2.1 to 2.3). */
export function silencesOnAlertmanager(deps: AlertSilenceDeps): Served {
  const { clock, config, silenced } = deps;

  /** @throws MonError `not_found` */
  const entryOf = (request: Parameters<Served['silence']>[0], id: string): SilencedEntry => {
    const entry = livingEntry(v1Namespace(request, deps), id, clock.now());
    if (entry !== undefined) return entry;
    throw new MonError('not_found', `there is no silence ${id}: it has ended, or never was`);
  };
  const shown = (entry: SilencedEntry): ShownSilence => ({
    id: entry.id,
    matchers: matchersOf(entry, config.program.alerts),
    startsAt: moment((entry.begin ?? entry.timestamp) * 1000),
    endsAt: moment(entry.expireAtMs ?? clock.now() + LIFETIME_SECONDS_MAX * 1000),
    updatedAt: moment(entry.timestamp * 1000),
    createdBy: entry.creator ?? '',
    comment: entry.reason ?? '',
    status: { state: isActive(entry, clock.now()) ? 'active' : 'pending' },
  });

  return {
    silences: (request, reply) => {
      const isWanted = labelsAskedFor(request);
      const entries = livingEntries(v1Namespace(request, deps).silenced.all(), clock.now());
      const where = ({ matchers }: ShownSilence): boolean =>
        isWanted(Object.fromEntries(matchers.map(({ name, value }) => [name, value])));
      return sendList(request, reply, entries, (some) => some.map(shown).filter(where), { isPaginated: false });
    },
    silence: (request) => shown(entryOf(request, pathName(request, 'id'))),
    postSilence: async (request) => {
      const posted = readBody(request, validate);
      const place = placeOf(posted, request);
      const { selector } = place;
      const before = posted.id ? entryOf(request, posted.id) : undefined;
      const creator = creatorOf(request.principal, posted.createdBy) || null;
      const actor = actorOf(request, creator);
      const id = targetId(place);
      if (selector !== undefined) await silenced.learn(DEFAULT_NAMESPACE, [selector]);
      const make = (_before: SilencedEntry | undefined, nowMs: number): SilencedEntry => {
        const entry = entryMade({ ...posted, createdBy: creator ?? '' }, place, nowMs);
        refuseV2AgainstPolicy(deps, entry);
        const lost = replacementProblem(before, entry);
        if (lost !== undefined) throw new MonError('conflict', lost);
        return entry;
      };
      await silenced.write(DEFAULT_NAMESPACE, id, make, actor);
      // Of other matchers: another silence, in place of the one that was.
      if (before !== undefined && before.id !== id) await silenced.clear(DEFAULT_NAMESPACE, { id: before.id }, actor);
      return { silenceID: id };
    },
    deleteSilence: async (request, reply) => {
      const { id } = entryOf(request, pathName(request, 'id'));
      await silenced.clear(DEFAULT_NAMESPACE, { id }, actorOf(request));
      return reply.send();
    },
  };

  /** @throws MonError `invalid` */
  function placeOf({ matchers }: PostedSilence, request: Parameters<Served['silence']>[0]): AlertPlaceOfSilence {
    const namespace = v1Namespace(request, deps);
    const plan = silencePlan(matchers, config.program.alerts, ({ client, check }) => {
      return namespace.check(client, check) !== undefined;
    });
    if (plan.kind === 'problem') throw new MonError('invalid', plan.message);
    if (plan.kind === 'selector') return { subscription: null, check: null, selector: plan.selector };
    const { subscription, check } = plan;
    const isNamed =
      subscriptionSchema.nullable().safeParse(subscription).success && nameSchema.nullable().safeParse(check).success;
    if (!isNamed) throw new MonError('invalid', 'the matchers name no client and no check that could be');
    return { subscription, check };
  }
}

/** @throws MonError `invalid` when it ends before it begins, or has ended */
function entryMade(
  { matchers, startsAt, endsAt, createdBy, comment }: PostedSilence,
  place: AlertPlaceOfSilence,
  nowMs: number,
): SilencedEntry {
  if (endsAt === undefined || endsAt <= nowMs) throw new MonError('invalid', 'endsAt must lie ahead');
  if (startsAt !== undefined && startsAt >= endsAt) throw new MonError('invalid', 'endsAt must be after startsAt');
  if (endsAt > nowMs + LIFETIME_SECONDS_MAX * 1000) {
    throw new MonError('invalid', 'endsAt must be within a hundred years');
  }
  const begin = startsAt === undefined || startsAt <= nowMs ? null : Math.floor(startsAt / 1000);
  const request = { ...place, begin, reason: comment, creator: createdBy || null };
  return {
    ...silencedEntry(request, nowMs),
    expireAtMs: endsAt,
    annotations: { [MATCHERS_ANNOTATION]: JSON.stringify(matchers) },
  };
}

function moment(ms: number): string {
  return new Date(ms).toISOString();
}
