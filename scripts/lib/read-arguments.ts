import { parseArgs, type ParseArgsConfig } from 'node:util';

/** As `parseArgs`; `--help` gets `usage` and ends the program, what cannot be understood gets it too, with what is wrong. */
export function readArguments<Config extends ParseArgsConfig>(
  config: Config,
  usage: string,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    process.exit();
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // What it throws says what is wrong and how to write it.
    console.error(error instanceof Error ? error.message : String(error));
    return refuseArguments(usage);
  }
}

/** What nothing can be made of. */
export function refuseArguments(usage: string): never {
  console.error(usage);
  process.exit(2);
}
