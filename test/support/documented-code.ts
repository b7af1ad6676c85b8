/** The code of the README and of the guide that has a file's name in its first line. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The pages about embedding, calling, receiving and proving; the others have tests of their own. */
const PAGES = [
  'README.md',
  ...globSync('docs/{events,web-proofs}.md', { cwd: ROOT }),
  'docs/recipes/embed.md',
  'docs/recipes/call.md',
  'docs/recipes/webhook-receiver.md',
];

/** The TypeScript of these pages by the name of its file, with the line that names it. */
export function documentedCode(): ReadonlyMap<string, string> {
  const text = PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
  return new Map(
    [...text.matchAll(/^```ts\n(\/\/ (\S+\.ts)\n[\s\S]*?)^```$/gm)].map(([, code = '', name = '']) => [name, code]),
  );
}
