/** Examples in documentation comments: `npm run check:types` compiles their code, and the API reference shows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesOf, sourcesWithExamples } from '../../../tools/document-code.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

it('finds each example with its line, and whether its code is compiled', () => {
  const comment = [
    '/**',
    ' * Adds.',
    ' * @example',
    ' * ```ts',
    " * import { add } from 'credence';",
    ' *',
    ' * add(1, 2);',
    ' * ```',
    ' * @throws RangeError',
    ' */',
    '/** Zero. @default 0 */',
    '/**',
    ' * @example add(3)',
    ' */',
    '/** @example add(4) */',
  ].join('\n');
  expect(examplesOf(comment)).toEqual([
    { code: "import { add } from 'credence';\n\nadd(1, 2);\n", line: 3 },
    { code: null, line: 13 },
    { code: null, line: 15 },
  ]);
});

it('is a compiled module everywhere', () => {
  const loose = sourcesWithExamples().flatMap((file) =>
    examplesOf(read(file)).flatMap(({ code, line }) => (code?.includes('import ') ? [] : [`${file}:${line}`])),
  );
  expect(loose).toEqual([]);
});

it.each([
  ['plugins/compose/index.ts', 'createCredence'],
  ['plugins/fastify/index.ts', 'credenceFastify'],
  ['plugins/express/index.ts', 'credenceExpress'],
  ['plugins/fetch/index.ts', 'credenceFetch'],
  ['plugins/client/index.ts', 'createCredenceClient'],
  ['plugins/webhooks/verify-webhook.ts', 'verifyWebhook'],
  ['plugins/verify/index.ts', 'createWebProofVerifier'],
  ['hosts/platform-simulator/server.ts', 'createPlatformSimulator'],
])('%s has an example of %s', (file, name) => {
  const comment = read(file)
    .split(new RegExp(`^export (?:async )?function ${name}\\(`, 'm'))[0]
    ?.split('/**')
    .at(-1);
  expect(examplesOf(`/**${comment}`)).toEqual([
    { code: expect.stringContaining(`${name}(`), line: expect.any(Number) },
  ]);
});

it('the API reference has every entry of the package', () => {
  const { exports } = JSON.parse(read('package.json')) as {
    exports: Record<string, { 'credence-source'?: string } | null>;
  };
  const { entryPoints } = JSON.parse(read('tools/api-reference/typedoc.json')) as { entryPoints: string[] };
  const entries = Object.values(exports).flatMap((entry) => entry?.['credence-source'] ?? []);
  expect(entryPoints.map((entry) => entry.replace('../../', './')).sort()).toEqual(entries.sort());
});
