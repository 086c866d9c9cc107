import type { FastifyRequest } from 'fastify';
import { DEAD_LETTER_SEARCH } from '../../../../shared/domain/list-searches.ts';
import { MON_API } from '../../../../shared/api/mon.ts';
import { MonError } from '../../../../shared/errors.ts';
import type { DeadLetterSummary, DeadLetterView } from '../../../../shared/schemas/dead-letter.ts';
import { readDeadLetter, toDeadLetterSummary } from './read-dead-letters.ts';
import { actorOf } from '../../access/actor.ts';
import { bodyValidator, readBody } from '../../http/json-body.ts';
import { sendList } from '../../http/list.ts';
import type { Clock, Store } from '../../ports.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { MonHandlers } from '../../http/route.ts';
import { searchFilter } from '../../http/search.ts';

const validateSelection = bodyValidator(MON_API.retryDeadLetters);

interface DeadLetterRouteDependencies {
  readonly clock: Clock;
  readonly deadLetters: DeadLetters;
  readonly store: Store;
}

/** Returns the routes of the mon API that list, show, retry and drop dead letters. */
export function deadLettersOnMon({
  clock,
  deadLetters,
  store,
}: DeadLetterRouteDependencies): MonHandlers<
  'deadLetters' | 'retryDeadLetters' | 'dropDeadLetters' | 'deadLetter' | 'dropDeadLetter' | 'retryDeadLetter'
> {
  return {
    deadLetters: (request, reply, query) => {
      const where = searchFilter(DEAD_LETTER_SEARCH, query, (summary: DeadLetterSummary) => summary, clock.now());
      return sendList(request, reply, deadLetters.all(), (entries) => entries.map(toDeadLetterSummary), { where });
    },
    retryDeadLetters: async (request) => ({
      retried: await deadLetters.retry(readBody(request, validateSelection), actorOf(request)),
    }),
    dropDeadLetters: async (request) => ({
      dropped: await deadLetters.drop(readBody(request, validateSelection), actorOf(request)),
    }),
    deadLetter: async (request): Promise<DeadLetterView> => {
      const id = parseDeadLetterId(request);
      const entry = deadLetters.get(id);
      const view = entry === undefined ? undefined : await readDeadLetter(store, entry);
      if (view === undefined) throw new MonError('not_found', `there is no dead letter ${String(id)}`);
      return view;
    },
    dropDeadLetter: async (request, reply) => {
      await deadLetters.drop({ id: parseDeadLetterId(request) }, actorOf(request));
      return reply.send();
    },
    retryDeadLetter: async (request) => ({
      retried: await deadLetters.retry({ id: parseDeadLetterId(request) }, actorOf(request)),
    }),
  };
}

function parseDeadLetterId({ params }: FastifyRequest): number {
  const { id = '' } = params as Readonly<Record<string, string>>;
  if (/^\d{1,16}$/.test(id)) return Number(id);
  throw new MonError('not_found', `there is no dead letter ${id}`);
}
