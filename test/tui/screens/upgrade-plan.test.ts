import type { ConsoleRig, RigOptions } from '../../support/console-rig.ts';
import { testPictures } from '../../support/pictures.ts';
import { playUntil, ScriptedPlans } from '../../support/upgrade-scene.ts';

interface Picture {
  readonly view: string;
  readonly play: (options: RigOptions) => Promise<ConsoleRig>;
}

/** Opens a console that holds a plan in which all steps before this one are completed. */
async function heldAt(step: string, options: RigOptions = {}): Promise<{ rig: ConsoleRig; plans: ScriptedPlans }> {
  const plans = new ScriptedPlans().begin();
  const rig = await plans.open({ ...options, parts: { session: 'console-1' } });
  await playUntil(plans, step, 'console-1');
  await rig.shows('(this console)', new RegExp(`> . +${String(numberOf(plans, step))} `));
  return { rig, plans };
}

function numberOf({ plan }: ScriptedPlans, step: string): number {
  return (plan?.steps.findIndex(({ id }) => id === step) ?? -1) + 1;
}

const PICTURES: readonly Picture[] = [
  { view: 'upgrade-plan', play: async (options) => (await heldAt('restart-agents', options)).rig },
  {
    view: 'upgrade-confirm',
    play: async (options) => {
      const { rig } = await heldAt('restart-agents', options);
      rig.type('\r');
      await rig.shows('do this step, then confirm with Enter');
      rig.type('\r');
      await rig.shows('Yes, it is done');
      return rig;
    },
  },
  {
    view: 'upgrade-typed',
    play: async (options) => {
      const { rig } = await heldAt('migrate', options);
      rig.type('\r6.5');
      await rig.shows('Type 6.5.0 to run it  6.5');
      return rig;
    },
  },
  {
    view: 'upgrade-details',
    play: async (options) => {
      const { rig } = await heldAt('fix-namespaces', options);
      rig.type('d');
      await rig.shows('FINDINGS');
      return rig;
    },
  },
  {
    view: 'upgrade-log',
    play: async (options) => {
      const { rig } = await heldAt('restart-agents', options);
      rig.type('J');
      await rig.shows('owned by alice', 'line 1/');
      return rig;
    },
  },
  {
    view: 'upgrade-new',
    play: async (options) => {
      const rig = await new ScriptedPlans().open(options);
      rig.type('n');
      await rig.shows('New upgrade plan');
      return rig;
    },
  },
  {
    view: 'upgrade-failed',
    play: async (options) => {
      const { rig, plans } = await heldAt('backup', options);
      rig.type('\r\r');
      await rig.shows('running');
      await plans.finish('backup', { isDone: false, note: 'the backend was restarted meanwhile: start it again' });
      await rig.shows('failed');
      return rig;
    },
  },
];

testPictures(PICTURES, ({ play }, options) => play(options));
