import type { Mutant } from './mutant.ts';

/** Mutants of the protection against clock changes, and of TLS. */
export const TIME_AND_TLS_MUTANTS: readonly Mutant[] = [
  {
    defence: 'a jump of the wall clock does not move the steady clock',
    file: 'daemon/clock/steady-clock.ts',
    text: 'if (Math.abs(errorMs) > JUMP_MS) this.#recordJump(errorMs);',
    replacement: 'if (Math.abs(errorMs) > JUMP_MS) this.#passedMs += errorMs;',
    test: 'test/daemon/clock/steady-clock.test.ts',
  },
  {
    defence: 'the steady clock never goes back',
    file: 'daemon/clock/steady-clock.ts',
    text: 'Math.max(-elapsedMs * SLEW_RATE, Math.min(errorMs, elapsedMs * SLEW_RATE))',
    replacement: 'errorMs',
    test: 'test/daemon/clock/steady-clock.test.ts',
  },
  {
    defence: 'a restart after the wall clock was set back does not set the steady clock back',
    file: 'daemon/clock/resume-time.ts',
    text: '.filter((ms) => ms >= 0)',
    replacement: '',
    test: 'test/daemon/clock/steady-clock.test.ts',
  },
  {
    defence: 'connections with TLS 1.1 are rejected',
    file: 'daemon/backend/tls/server-tls.ts',
    text: "minVersion: 'TLSv1.2',",
    replacement: "minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0',",
    test: 'test/daemon/backend/tls/server-tls.test.ts',
  },
  {
    defence: 'a listener that other hosts can reach requires TLS unless plain HTTP is allowed',
    file: 'daemon/backend/tls/listeners.ts',
    text: 'if (first === undefined || isAllowed) return open;',
    replacement: 'if (first === undefined || open.length > 0) return open;',
    test: 'test/daemon/backend/tls/listeners.test.ts',
  },
];
