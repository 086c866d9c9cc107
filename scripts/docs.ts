import { Site } from './site/build-site.ts';

/** Builds the documentation into build/site; with `--serve` it serves it, and builds it anew when a page changes. */
const OUTPUT = 'build/site';
const PORT = 8088;

process.chdir(`${import.meta.dirname}/..`);
const site = new Site(OUTPUT);
if (process.argv.includes('--serve')) {
  await site.serve(PORT);
} else {
  const pages = await site.write();
  process.stdout.write(`${OUTPUT}: ${String(pages)} pages, begin with ${OUTPUT}/index.html\n`);
}
