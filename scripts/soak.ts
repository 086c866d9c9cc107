// npm run soak -- NAME [--rounds N]: the long form of a test in test/soak.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SUFFIX = '.test.ts';

const names = readdirSync(`${ROOT}test/soak`)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '200' } },
});
const [name = ''] = positionals;
if (!names.includes(name) || !/^[1-9]\d*$/.test(values.rounds)) {
  console.error(`usage: npm run soak -- NAME [--rounds N]\nNAME: ${names.join(', ')}; N: default 200`);
  process.exitCode = 2;
} else {
  const child = spawn(
    process.execPath,
    [`${ROOT}node_modules/vitest/vitest.mjs`, 'run', '--project', 'daemon', `test/soak/${name}${SUFFIX}`],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, SOAK_ROUNDS: values.rounds } },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}
