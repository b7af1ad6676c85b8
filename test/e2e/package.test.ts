/** What consumers get: the packed tarball in an empty project. It runs, and its types hold, in package-backends.test.ts. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConsoleEntry } from '../../plugins/console/files.ts';
import { importsOf } from '../../tools/reached-files.ts';
import { packageFolders, readManifest } from '../../tools/workspaces.ts';
import { startChild } from '../support/child-host.ts';
import { type Consumer, createConsumer, packedPackage } from '../support/consumer.ts';

const run = promisify(execFile);

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer();
});

describe('the packed package', () => {
  it('holds the build and its documents, no sources and no tests', async () => {
    const files = await readdir(consumer.credence, { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']));
    expect(files.filter((name) => name.startsWith('dist/adapters/groth16-prover'))).toEqual([]);
    // What pages and threads load, and the licences of what is not ours.
    const beside = ['browser.js', 'reader.js.gz', 'reader.LICENSE.txt', 'verification-thread.js', 'THIRD-PARTY.txt'];
    expect(files).toEqual(expect.arrayContaining(beside.map((name) => `dist/${name}`)));
    expect(files).toEqual(expect.arrayContaining(['docs/quick-start.md', 'docs/recipes/webhook-receiver.md']));
    expect(files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
    expect(files.filter((name) => /\.test\.(?:js|d\.ts)$/.test(name))).toEqual([]);
  });

  it('has the console beside it, built', async () => {
    const folder = join(consumer.modules, '@credence/console/dist/plugins/console/files');
    const entry = JSON.parse(await readFile(join(folder, 'entry.json'), 'utf8')) as ConsoleEntry;
    const built = [entry.script, ...entry.styles].map((name) => `${name}.gz`);
    expect(built.length).toBeGreaterThan(1);
    expect(await readdir(folder)).toEqual(expect.arrayContaining([...built, 'LICENSES.txt']));
  });

  it('has the prover beside it, with the whole text of the GPL', async () => {
    const folder = join(consumer.modules, '@credence/groth16/dist/adapters/groth16-prover');
    const text = await readFile(join(folder, 'GPL-3.0.txt'), 'utf8');
    expect(text).toContain('GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007');
    const sections = [...text.matchAll(/^ {2}(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(sections).toEqual(Array.from({ length: 18 }, (_, number) => number));
    expect(text).toContain('END OF TERMS AND CONDITIONS');
    expect(await readFile(join(folder, 'LICENSES.md'), 'utf8')).toContain('[GPL-3.0.txt](./GPL-3.0.txt)');
    await readFile(join(folder, 'artifacts', 'attested-values-8.wasm.br'));
    await readFile(join(folder, 'circuits', 'attested-values.circom'));
  });

  it('holds every page that its pages link to', async () => {
    const pages = (await readdir(consumer.credence, { recursive: true })).filter(
      (name) => name.endsWith('.md') && !name.startsWith('dist/'),
    );
    const links = await Promise.all(
      pages.map(async (page) => {
        const text = await readFile(join(consumer.credence, page), 'utf8');
        const targets = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(([, target = '']) => target);
        return targets.map((target) => ({ page, path: join(consumer.credence, page, '..', target) }));
      }),
    );
    expect(links.flat().length).toBeGreaterThan(20);
    expect(links.flat().filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  it('has a command line, which knows the API without an instance', async () => {
    const program = join(consumer.modules, '@credence', 'cli', 'dist', 'hosts', 'cli', 'main.js');
    expect(await readFile(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await run(process.execPath, [program, 'campaigns', '--help'], { cwd: consumer.folder });
    expect(stdout).toContain('verify-and-reward');
    expect(existsSync(join(program, '..', 'openapi.json'))).toBe(true);
  });

  it('has the simulator as a program', async () => {
    const program = startChild({
      script: join(consumer.modules, '@credence/simulator', 'dist', 'hosts', 'platform-simulator', 'main.js'),
      args: ['--port', '0', '--json'],
    });
    await vi.waitFor(() => expect(program.stdout(), program.stderr()).toContain('\n'), { timeout: 30_000 });
    expect(JSON.parse(program.stdout())).toMatchObject({ tiktokBaseUrl: expect.stringMatching(/^http:/) });
    expect(await program.stop()).toBe(0);
  });

  // The contract suites: package-platform.test.ts.
  it('offers the adapters that users pass, and scripts the ABIs of the contracts', async () => {
    const paths = Object.keys((await readManifest('.')).exports ?? {});
    const adapters = paths.flatMap((path) => (path.startsWith('./adapters/') ? [path.slice(11)] : []));
    await consumer.write('all.js', [
      "import { existsSync } from 'node:fs';",
      "import { createRequire } from 'node:module';",
      "import abi from 'credence/contracts/abi/WebProofVerifier.json' with { type: 'json' };",
      ...adapters.map((name, index) => `import * as a${index} from 'credence/adapters/${name}';`),
      `console.log([${adapters.map((_, index) => `a${index}`).join(', ')}].every((each) => Object.keys(each).length > 0));`,
      'const { resolve } = createRequire(import.meta.url);',
      "const names = ['WebProofVerifier', 'DelegatedWebProofVerifier', 'VerifyingKey', 'WebProofConsumer'];",
      'console.log(names.every((name) => existsSync(resolve(`credence/contracts/${name}.sol`))));',
      "console.log(abi.some(({ type, name }) => type === 'function' && name === 'verify'));",
      "const abis = ['WebProofVerifier', 'DelegatedWebProofVerifier', 'WebProofConsumer'];",
      'console.log(abis.every((name) => existsSync(resolve(`credence/contracts/abi/${name}.json`))));',
    ]);
    const child = consumer.start('all.js');
    expect(await child.exit(), child.stderr()).toBe(0);
    expect(child.stdout()).toBe('true\ntrue\ntrue\ntrue\n');
  });
});

/** Specifiers of packages in a compiled file; those that are loaded late, too. */
const PACKAGE_IMPORT =
  /^(?:import|export)\s(?:[^'"=;()]*\sfrom\s)?['"]([@\w][\w@./-]*)['"]|\bimport\(['"]([@\w][\w@./-]*)['"]\)/gm;

describe.each(await packagesWithFiles())('$name', ({ name, needs }) => {
  it('holds every file that its files import, and names every package', async () => {
    const { unpacked } = await packedPackage();
    const dist = join(unpacked, name, 'dist');
    const files = (await readdir(dist, { recursive: true })).filter((file) => /\.(?:js|d\.ts)$/.test(file));
    const compiled = files.filter((file) => !file.includes('plugins/console/files/'));
    const texts = await Promise.all(compiled.map((file) => readFile(join(dist, file), 'utf8')));
    const imported = compiled.flatMap((file, index) => importsOf(file, texts[index] ?? ''));
    expect(imported.length).toBeGreaterThan(1);
    expect(imported.filter((file) => !files.includes(file))).toEqual([]);
    const packages = texts.flatMap((text) =>
      Array.from(text.matchAll(PACKAGE_IMPORT), ([, first, late]) => first ?? late ?? ''),
    );
    const named = packages
      .filter((path) => !path.startsWith('node:'))
      .map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
    expect([...new Set(named)].filter((each) => !needs.includes(each ?? ''))).toEqual([]);
  });
});

/** The packages, each with what its package.json names. */
async function packagesWithFiles(): Promise<{ readonly name: string; readonly needs: readonly string[] }[]> {
  const manifests = await Promise.all((await packageFolders()).map(readManifest));
  return manifests.map(({ name, dependencies = {}, peerDependencies = {} }) => ({
    name,
    needs: [name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)],
  }));
}
