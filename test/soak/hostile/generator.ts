// Process of the hostile clients: it runs all kinds of attacks at the same time until it is killed. Each kind has its
// own source address.
import { readdirSync, readlinkSync } from 'node:fs';
import { RandomChoices } from '../random-choices.ts';
import { hold, type Attack, type Ending, type HostileKind } from './kind.ts';
import { HOSTILE_KINDS } from './kinds.ts';
import type { HostileFigures, HostileRequest } from './messages.ts';

const endings: Record<string, Record<Ending, number>> = {};
// This signal is never aborted, because the process is killed.
const { signal } = new AbortController();
let serial = 0;

process.on('message', (request: HostileRequest) => {
  if (request.kind === 'start') HOSTILE_KINDS.forEach((kind, at) => begin(kind, at, request));
  else process.send?.({ kind: 'figures', open: openSockets(), endings } satisfies HostileFigures);
});
process.on('disconnect', () => process.exit());
// Some attacks break connections at every stage; an unhandled rejection must not end the process.
process.on('unhandledRejection', () => undefined);

function begin(kind: HostileKind, at: number, order: Extract<HostileRequest, { kind: 'start' }>): void {
  const lanes = Math.max(1, Math.round(kind.lanes * order.strength));
  for (let lane = 0; lane < lanes; lane++) void runLane(kind, at, lane, order);
}

/** Runs attacks of one kind in a lane, one after the other. */
async function runLane(
  kind: HostileKind,
  at: number,
  lane: number,
  { target, seed }: Extract<HostileRequest, { kind: 'start' }>,
): Promise<void> {
  const counts = (endings[kind.name] ??= { answered: 0, refused: 0, cut: 0 });
  const note = (ending: Ending): void => void counts[ending]++;
  const random = new RandomChoices(seed + 1000 * at + lane);
  const from = `127.1.${String(at + 1)}.1`;
  for (;;) {
    const attack: Attack = { target, from, random, serial: serial++, signal, note };
    await kind.attack(attack).catch(() => note('cut'));
    await hold(kind.pauseMs, signal);
  }
}

function openSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
