import { onTestFinished } from 'vitest';
import { SilenceEndNotifier } from '../../daemon/backend/notify/silence-ends/commands.ts';
import { watchSilenceEnds } from '../../daemon/backend/notify/silence-ends/timers.ts';
import { expireSilenced } from '../../daemon/backend/silences/timers.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { HandlingRig, type HandlingOptions, type HandlingSections } from './handling-rig.ts';

export const PIPE = { type: 'pipe', command: 'true' };
export const MAIL: HandlingSections = { handlers: { default: PIPE } };

/** The commit pipeline of a backend with the timers that end silences. */
export interface SilenceRig extends HandlingRig {
  readonly stop: () => Promise<void>;
}

export async function openRig(sections: HandlingSections = MAIL, options: HandlingOptions = {}): Promise<SilenceRig> {
  const rig = await HandlingRig.open(sections, options);
  const { registry, clock, log, silenced, batcher } = rig;
  const parts = { registry, commits: batcher.commits, clock, log };
  const expiry = expireSilenced({ ...parts, silenced });
  const ends = watchSilenceEnds({ ...parts, notifier: new SilenceEndNotifier(batcher) });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    ends[Symbol.dispose]();
    expiry[Symbol.dispose]();
    await rig[Symbol.asyncDispose]();
  };
  onTestFinished(stop);
  return Object.assign(rig, { stop });
}

/** Creates a silence of the check `disk`, or of the target in `attributes`. */
export const silence = (rig: HandlingRig, attributes = {}): Promise<unknown> =>
  rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk', ...attributes });

/** Waits until the changes that the last step has caused are committed. */
export async function settle({ batcher }: HandlingRig): Promise<void> {
  for (let round = 0; round < 3; round++) await batcher.run(() => undefined);
}

/**
 * Returns handler and action of each job that commits have requested since the last call, and whether the end of a
 * silence caused it.
 */
export async function takeRuns(rig: HandlingRig): Promise<string[]> {
  await settle(rig);
  return rig
    .takeJobs()
    .map(({ handler, event }) => `${handler} ${event.action}${event.silence_ended === true ? ' silence ended' : ''}`);
}
