/**
 * Projects that `npm run matrix:consumers` makes: what they install, their files, how they build, and what they must print. Those that
 * need nothing of the registry are in `test/e2e/package-*.test.ts`.
 */
import type { Template } from '../../hosts/cli/init.ts';

export interface ConsumerProject {
  readonly name: string;
  /** Installed from the registry beside the packed package. */
  readonly packages: readonly string[];
  /** Of the gallery; its files are there before `files`. */
  readonly template?: Template;
  readonly files?: Readonly<Record<string, string>>;
  /** Commands of the project, with their arguments. */
  readonly build: readonly (readonly string[])[];
  /** Files that Node runs, or `runner`; each must print `EXPECTED`, and no warning. */
  readonly run?: readonly string[];
  /** A command of the project. */
  readonly runner?: string;
  /** A command that listens on the port that it is given last. */
  readonly serve?: readonly string[];
}

export const TOKEN = 'a-token-of-the-matrix';
export const EXPECTED = '200 {"data":[]} 200';

const CONFIG = `{ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) }, adminToken: '${TOKEN}' }`;

/** Serves below a prefix, asks itself twice and stops. */
const ASK = `
const ask = async (url) => {
  const headers = { authorization: 'Bearer ${TOKEN}' };
  const brands = await fetch(url + '/engagement/admin/brands', { headers });
  const document = await fetch(url + '/engagement/openapi.json');
  console.log(brands.status, await brands.text(), document.status);
  process.exit();
};`;

const FASTIFY = `${ASK}
const main = async () => {
  const credence = createCredence(${CONFIG});
  await credence.start();
  const app = fastify();
  await app.register(credenceFastify(credence), { prefix: '/engagement' });
  await ask(await app.listen({ port: 0, host: '127.0.0.1' }));
};
main();`;

const FASTIFY_MODULE = `import { createCredence } from 'credence';
import { credenceFastify } from 'credence/fastify';
import { fastify } from 'fastify';
${FASTIFY}`;

/** Gets a webhook and stops, then does as the others. */
const BUN = `import { createServer } from 'node:http';
${FASTIFY_MODULE.replace('main();', '')}
const received = Promise.withResolvers();
const receiver = createServer((request, response) => received.resolve(response.end())).listen(0, '127.0.0.1');
const credence = createCredence({ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) }, egress: { allow: ['127.0.0.0/8'] } });
await credence.start();
const { id: brandId } = await credence.brands.create({ name: 'Acme', slug: 'acme' });
const url = 'http://127.0.0.1:' + receiver.address().port;
const { id: webhookId } = await credence.webhooks.create({ brandId, url, events: ['reward.issued'] });
await credence.webhooks.test({ brandId, webhookId });
await received.promise;
await credence.stop();
main();`;

/** As `create-next-app` writes it. Without one, Next.js 15 chooses a `moduleResolution` that knows no `exports`. */
const NEXT_CONFIG = JSON.stringify({
  compilerOptions: {
    target: 'es2017',
    lib: ['dom', 'dom.iterable', 'esnext'],
    allowJs: true,
    skipLibCheck: true,
    strict: true,
    noEmit: true,
    esModuleInterop: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    resolveJsonModule: true,
    isolatedModules: true,
    jsx: 'preserve',
    incremental: true,
    plugins: [{ name: 'next' }],
  },
  include: ['next-env.d.ts', '**/*.ts', '**/*.tsx', '.next/types/**/*.ts'],
  exclude: ['node_modules'],
});

const NEXT_SERVE = ['next', 'start', '--hostname', '127.0.0.1', '--port'];

const WEBPACK_CONFIG = `export default {
  mode: 'production',
  target: 'node',
  entry: './app.js',
  externals: { 'better-sqlite3': 'commonjs better-sqlite3' },
  output: { path: import.meta.dirname + '/out', filename: 'app.cjs' },
};`;

export const CONSUMER_PROJECTS: readonly ConsumerProject[] = [
  {
    name: 'tsup',
    packages: ['fastify', 'tsup', 'typescript@5'],
    files: { 'app.js': FASTIFY_MODULE },
    build: [['tsup', 'app.js', '--format', 'esm,cjs', '--out-dir', 'out', '--silent']],
    run: ['out/app.js', 'out/app.cjs'],
  },
  {
    name: 'webpack',
    packages: ['fastify', 'webpack', 'webpack-cli'],
    files: { 'app.js': FASTIFY_MODULE, 'webpack.config.js': WEBPACK_CONFIG },
    build: [['webpack']],
    run: ['out/app.cjs'],
  },
  { name: 'Next.js (Turbopack)', template: 'next', packages: [], build: [['next', 'build']], serve: NEXT_SERVE },
  {
    name: 'Next.js 15 (webpack)',
    template: 'next',
    packages: ['next@15'],
    files: { 'tsconfig.json': NEXT_CONFIG },
    build: [['next', 'build']],
    serve: NEXT_SERVE,
  },
  {
    name: 'TypeScript 5.0',
    template: 'fastify',
    packages: ['typescript@5.0', '@types/node@24'],
    build: [['tsc', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', 'app.ts']],
  },
  { name: 'Bun', packages: ['bun', 'fastify'], files: { 'app.js': BUN }, build: [], runner: 'bun', run: ['app.js'] },
];
