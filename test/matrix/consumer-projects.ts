/** Projects that `npm run matrix:consumers` makes: what they install, their files, how they build, and what they must print. */
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

const EXPRESS = `${ASK}
const main = async () => {
  const credence = createCredence(${CONFIG});
  await credence.start();
  const app = express().use('/engagement', credenceExpress(credence));
  const server = app.listen(0, '127.0.0.1', () => ask('http://127.0.0.1:' + server.address().port));
};
main();`;

const FASTIFY_MODULE = `import { createCredence } from 'credence';
import { credenceFastify } from 'credence/fastify';
import { fastify } from 'fastify';
${FASTIFY}`;

const EXPRESS_MODULE = `import { createCredence } from 'credence';
import { credenceExpress } from 'credence/express';
import express from 'express';
${EXPRESS}`;

const FASTIFY_REQUIRED = `const { createCredence } = require('credence');
const { credenceFastify } = require('credence/fastify');
const { fastify } = require('fastify');
${FASTIFY}`;

const NEST = `import 'reflect-metadata';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createCredence } from 'credence';
import { credenceExpress } from 'credence/express';

@Injectable()
class CredenceService {
  readonly credence = createCredence(${CONFIG});
  onModuleInit() { return this.credence.start(); }
}

@Controller()
class BrandsController {
  constructor(private readonly service: CredenceService) {}
  @Get('brands') brands() { return this.service.credence.brands.list({}); }
}

@Module({ controllers: [BrandsController], providers: [CredenceService] })
class AppModule {}
${ASK.replace('(url)', '(url: string)')}
const main = async () => {
  const app = await NestFactory.create(AppModule, { logger: false });
  app.use('/engagement', credenceExpress(app.get(CredenceService).credence));
  await app.listen(0, '127.0.0.1');
  await ask((await app.getUrl()).replace('[::1]', '127.0.0.1'));
};
main();`;

const NEST_CONFIG = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    outDir: 'out',
    types: ['node'],
  },
  include: ['app.ts'],
});

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

const ESBUILD = [
  'esbuild',
  'app.js',
  '--bundle',
  '--platform=node',
  '--log-level=warning',
  '--external:better-sqlite3',
];

export const CONSUMER_PROJECTS: readonly ConsumerProject[] = [
  {
    name: 'Express 4',
    packages: ['express@4'],
    files: { 'app.js': EXPRESS_MODULE },
    build: [],
    run: ['app.js'],
  },
  {
    name: 'Fastify 4',
    packages: ['fastify@4'],
    files: { 'app.js': FASTIFY_MODULE },
    build: [],
    run: ['app.js'],
  },
  {
    name: 'CommonJS require',
    packages: ['fastify'],
    files: { 'app.cjs': FASTIFY_REQUIRED },
    build: [],
    run: ['app.cjs'],
  },
  {
    name: 'esbuild',
    packages: ['fastify', 'esbuild'],
    files: { 'app.js': FASTIFY_MODULE },
    build: [
      [...ESBUILD, '--outfile=out/common.cjs'],
      [...ESBUILD, '--packages=external', '--format=esm', '--outfile=out/module.js'],
    ],
    run: ['out/common.cjs', 'out/module.js'],
  },
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
    name: 'NestJS',
    packages: [
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/platform-express',
      'reflect-metadata',
      'rxjs',
      'typescript@5',
      '@types/node',
    ],
    files: { 'app.ts': NEST, 'tsconfig.json': NEST_CONFIG },
    build: [['tsc']],
    run: ['out/app.js'],
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
