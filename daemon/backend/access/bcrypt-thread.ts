// A thread of its own for bcrypt, which is slow on purpose: the event loop would stand still for each log-in.
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { BcryptAnswer, BcryptTask } from './bcrypt.ts';

/** 2 to the power of it: what the peer uses, and the least that OWASP advises. */
const COST = 10;

parentPort?.on('message', ({ id, password, hash }: BcryptTask) => {
  const answer: BcryptAnswer =
    hash === undefined
      ? { id, hash: bcrypt.hashSync(password, COST) }
      : { id, isRight: bcrypt.compareSync(password, hash) };
  parentPort?.postMessage(answer, []);
});
