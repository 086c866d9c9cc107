import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * Parses arguments like `parseArgs`. `--help` prints `usage` and ends the program; so does an invalid argument,
 * with the problem.
 */
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
    // The error describes the problem and the correct form.
    console.error(error instanceof Error ? error.message : String(error));
    return refuseArguments(usage);
  }
}

/** Rejects invalid arguments: prints the usage and exits. */
export function refuseArguments(usage: string): never {
  console.error(usage);
  process.exit(2);
}
