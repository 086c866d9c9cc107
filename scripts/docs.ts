import { Site } from './site/build-site.ts';

/** Builds the documentation site into build/site; with `--watch`, rebuilds it after each change of a page. */
const OUTPUT = 'build/site';

process.chdir(`${import.meta.dirname}/..`);
const site = new Site(OUTPUT);
if (process.argv.includes('--watch')) {
  await site.watch();
} else {
  const pages = await site.write();
  process.stdout.write(`${OUTPUT}: ${String(pages)} pages, begin with ${OUTPUT}/index.html\n`);
}
