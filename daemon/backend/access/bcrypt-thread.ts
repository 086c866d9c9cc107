// A separate thread for bcrypt, which is slow on purpose: otherwise each log-in would block the event loop.
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { BcryptAnswer, BcryptTask } from './bcrypt.ts';

/** Exponent of 2: the value that Sensu Go uses, and the minimum that OWASP recommends. */
const COST = 10;

parentPort?.on('message', ({ id, password, hash }: BcryptTask) => {
  const answer: BcryptAnswer =
    hash === undefined
      ? { id, hash: bcrypt.hashSync(password, COST) }
      : { id, isRight: bcrypt.compareSync(password, hash) };
  parentPort?.postMessage(answer, []);
});
