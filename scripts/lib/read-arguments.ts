import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * Parses the command line like `parseArgs`. `--help` prints `usage` and exits; an invalid argument prints the problem
 * and `usage` and exits with code 2.
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
    // The error message of `parseArgs` describes the problem and the correct form.
    console.error(error instanceof Error ? error.message : String(error));
    return refuseArguments(usage);
  }
}

/** Rejects invalid arguments: prints the usage and exits with code 2. */
export function refuseArguments(usage: string): never {
  console.error(usage);
  process.exit(2);
}
