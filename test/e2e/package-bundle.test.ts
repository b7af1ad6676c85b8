/** The packed package in bundles of one file, as teams deploy them, away from its packages: it loads, starts and answers. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { readManifest } from '../../tools/workspaces.ts';
import { startChild } from '../support/child-host.ts';
import { type Consumer, createConsumer } from '../support/consumer.ts';
import { newFolder } from '../support/new-folder.ts';

const TOKEN = 'an-admin-token-of-the-tests';

/** Asks itself what needs files of the package, and what needs none. */
const APP = [
  "import { createCredence } from 'credence';",
  "import { credenceExpress } from 'credence/express';",
  "import { credenceFastify } from 'credence/fastify';",
  "import { credenceFetch } from 'credence/fetch';",
  "import { mongodb } from 'credence/adapters/mongodb';",
  'const main = async () => {',
  `  const adminToken = '${TOKEN}';`,
  "  const credence = createCredence({ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) }, adminToken });",
  '  await credence.start();',
  "  const handle = credenceFetch(credence, { basePath: '/engagement' });",
  '  const ask = async (path, init) => {',
  "    const headers = { authorization: 'Bearer ' + adminToken, 'content-type': 'application/json' };",
  "    const answer = await handle(new Request('http://localhost/engagement' + path, { headers, ...init }));",
  "    console.log(path.replace(/[\\w-]{20,}$/, 'ID'), answer.status);",
  '    return answer.text();',
  '  };',
  "  await ask('/healthz');",
  "  await ask('/admin/brands');",
  "  const body = JSON.stringify({ platform: 'tiktok', externalId: 'e-1' });",
  "  const { data } = JSON.parse(await ask('/social-accounts/connect', { method: 'POST', body }));",
  "  await ask('/connect/' + data.requestId);",
  "  for (const path of ['/openapi.json', '/docs']) await ask(path);",
  '  console.log(typeof credenceExpress(credence), typeof credenceFastify(credence));',
  '  await credence.stop();',
  // Packages that only some users install are inside too.
  "  const url = 'mongodb://127.0.0.1:1/x';",
  '  const away = createCredence({ storage: mongodb({ url, connectTimeoutMs: 100 }), secrets: { key: new Uint8Array(32) } });',
  '  await away.start().catch(({ code }) => console.log(code));',
  '};',
  'main();',
];
const ANSWERS = [
  '/healthz 200',
  '/admin/brands 200',
  '/social-accounts/connect 201',
  '/connect/ID 200',
  '/openapi.json 200',
  '/docs 200',
  'function function',
  'SERVICE_UNAVAILABLE',
];

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer();
});

/** As the README says: only better-sqlite3 stays outside. */
async function bundle(name: string, outfile: string, options: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: consumer.folder,
    entryPoints: [name],
    outfile,
    bundle: true,
    platform: 'node',
    external: ['better-sqlite3'],
    logLevel: 'silent',
    ...options,
  });
}

/** What `import` and `require` of ES modules need in a bundle of ES modules that holds CommonJS. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

it.each([
  { name: 'CommonJS', outfile: 'common.cjs', options: { format: 'cjs' } },
  { name: 'ES modules', outfile: 'module.mjs', options: { format: 'esm', banner: { js: REQUIRE } } },
] satisfies { name: string; outfile: string; options: BuildOptions }[])(
  // The one of CommonJS has every adapter in it.
  'starts in a bundle of $name and serves its API and pages',
  async ({ outfile, options }) => {
    const paths = options.format === 'cjs' ? Object.keys((await readManifest('.')).exports ?? {}) : [];
    const names = paths.filter((path) => path.startsWith('./adapters/'));
    await consumer.write('app.js', [
      ...names.map((name, index) => `import * as a${index} from '${name.replace('.', 'credence')}';`),
      ...APP,
      `if (![${names.map((_, index) => `a${index}`).join(', ')}].every((each) => Object.keys(each).length > 0))`,
      "  console.error('There is an empty adapter.');",
    ]);
    const folder = newFolder();
    await mkdir(join(folder, 'node_modules'));
    await symlink(join(consumer.modules, 'better-sqlite3'), join(folder, 'node_modules', 'better-sqlite3'));
    const script = join(folder, outfile);
    await bundle('app.js', script, options);
    const child = startChild({ script, cwd: folder });
    expect(await child.exit(), child.stderr()).toBe(0);
    expect(child.stdout().trim().split('\n')).toEqual(ANSWERS);
    expect(child.stderr()).toBe('');
  },
);
