/** The code of the README and of the guide. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'adapters/groth16-prover/README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];
/** About embedding, calling, receiving and proving; the others have tests of their own. */
const COMPILED = /^(?:README|docs\/(?:events|web-proofs|recipes\/(?:embed|call|webhook-receiver)))\.md$/;

interface CodeBlock {
  readonly page: string;
  readonly language: string;
  /** Of its first line, if that is a comment with a file's name. */
  readonly name: string | undefined;
  readonly code: string;
}

export const CODE_BLOCKS: readonly CodeBlock[] = PAGES.flatMap((page) =>
  Array.from(
    readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm),
    ([, language = '', code = '']) => {
      const name = /^(?:<\?php )?(?:\/\/|#) (\S+\.\w+)\n/.exec(code)?.[1];
      return { page, language, name, code };
    },
  ),
);

/** The block of this name. @throws Error if there is none, or another one */
export function codeOf(name: string): string {
  const found = CODE_BLOCKS.filter((block) => block.name === name);
  if (found.length !== 1) throw new Error(`The guide has ${found.length} blocks with the name ${name}.`);
  return found[0]?.code ?? '';
}

/** The TypeScript that is compiled for a consumer, by the name of its file; with the line that names it. */
export function documentedCode(): ReadonlyMap<string, string> {
  const compiled = CODE_BLOCKS.filter(({ page, language }) => COMPILED.test(page) && language === 'ts');
  return new Map(compiled.flatMap(({ name, code }) => (name === undefined ? [] : [[name, code]])));
}
