import { Site } from './site/build-site.ts';

/** Builds the documentation site into build/site; with `--watch`, rebuilds it after each change of a page. */
const OUTPUT_DIRECTORY = 'build/site';

process.chdir(`${import.meta.dirname}/..`);
const site = new Site(OUTPUT_DIRECTORY);
if (process.argv.includes('--watch')) {
  await site.watch();
} else {
  const pages = await site.write();
  process.stdout.write(`${OUTPUT_DIRECTORY}: ${String(pages)} pages, begin with ${OUTPUT_DIRECTORY}/index.html\n`);
}
