/**
 * Puts the compiled modules of the library together into few files: Node.js takes longer to open and link 500 modules than to run
 * them. Packages that package.json does not name as dependencies or peers are inside too. They are those that are large on disk,
 * and of which nothing is in our types.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { type Manifest, ROOT } from './workspaces.ts';

const PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?\w[^/]*)\//;

/**
 * Writes the entries and what they share into one folder, each entry as `NAME.js`.
 * @param entries paths of compiled modules by name
 * @param compiled the folder that they are in
 */
export async function bundle(
  entries: Readonly<Record<string, string>>,
  folder: string,
  compiled: string,
  { dependencies = {}, peerDependencies = {} }: Manifest,
): Promise<void> {
  const outside = Object.keys({ ...dependencies, ...peerDependencies });
  const build = await rolldown({
    // What comments above the modules name them from.
    cwd: compiled,
    input: { ...entries },
    platform: 'node',
    // Compiled already.
    transform: { target: 'esnext' },
    external: (path) => outside.some((name) => path === name || path.startsWith(`${name}/`)),
  });
  const { output } = await build.write({ dir: folder, format: 'esm', chunkFileNames: 'part-[name].js' });
  await build.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const packages = new Set(modules.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const licences = await Promise.all([...packages].sort().map(licenceOf));
  await writeFile(join(folder, 'THIRD-PARTY.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));
}

async function licenceOf(name: string): Promise<string> {
  const folder = join(ROOT, 'node_modules', name);
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const text = await readFile(join(folder, 'LICENSE'), 'utf8');
  return `${name} ${version}\n\n${text}`;
}
