// Runs bcrypt in a separate thread: it is slow on purpose, and would block the event loop at each log-in.
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { BcryptResponse, BcryptTask } from './bcrypt.ts';

/** Cost of bcrypt, as an exponent of 2: the value that Sensu Go uses, and the minimum that OWASP recommends. */
const BCRYPT_COST = 10;

parentPort?.on('message', ({ id, password, hash }: BcryptTask) => {
  const answer: BcryptResponse =
    hash === undefined
      ? { id, hash: bcrypt.hashSync(password, BCRYPT_COST) }
      : { id, isMatch: bcrypt.compareSync(password, hash) };
  parentPort?.postMessage(answer, []);
});
