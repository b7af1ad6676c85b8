/**
 * Projects that `npm run matrix:consumers` makes: what they install, their files, how they build, and what they must print. Those that
 * need nothing of the registry are in `test/e2e/package-*.test.ts`.
 */
import { documentedCode } from '../support/documented-code.ts';

export interface ConsumerProject {
  readonly name: string;
  /** Installed from the registry beside the packed package. */
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Commands of the project, with their arguments. */
  readonly build: readonly (readonly string[])[];
  /** Files that Node runs; each must print `EXPECTED` as its last line. None: a server, asked over HTTP. */
  readonly run?: readonly string[];
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

/** The route of the guide. */
function nextRoute(): string {
  const code = documentedCode().get('app/engagement/[...path]/route.ts');
  if (code === undefined) throw new Error('The guide has no route of Next.js.');
  return code;
}

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

const NEXT_FILES = {
  'tsconfig.json': NEXT_CONFIG,
  'app/layout.tsx':
    "export default function Layout({ children }: { children: React.ReactNode }) {\n  return <html lang='en'><body>{children}</body></html>;\n}\n",
  'app/page.tsx': 'export default function Page() {\n  return <p>my own page</p>;\n}\n',
  'app/engagement/[...path]/route.ts': nextRoute(),
};
const NEXT_PACKAGES = ['react', 'react-dom', 'typescript@5', '@types/node', '@types/react'];
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
  {
    name: 'Next.js (Turbopack)',
    packages: ['next', ...NEXT_PACKAGES],
    files: NEXT_FILES,
    build: [['next', 'build']],
    serve: NEXT_SERVE,
  },
  {
    name: 'Next.js 15 (webpack)',
    packages: ['next@15', ...NEXT_PACKAGES],
    files: NEXT_FILES,
    build: [['next', 'build']],
    serve: NEXT_SERVE,
  },
];
