/** The built files of the console. `npm run build:console` writes them, compressed, into `files/` beside this module. */
import { readdir, readFile } from 'node:fs/promises';
import { fileBeside, type StaticFile, staticFile } from 'credence/kit';
import { ENTRY_FILE } from './entry-file.ts';

/** The files, and those that the page itself loads. */
export interface ConsoleFiles {
  /** A module. */
  readonly script: string;
  readonly styles: readonly string[];
  /** By name. Nothing else can be asked for. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

/** What the build writes into `entry.json`. */
export type ConsoleEntry = Pick<ConsoleFiles, 'script' | 'styles'>;

const contentTypeOf = (name: string) => `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;

/** Loads the files; null if the console is not built, for example in a bundle. */
export async function loadConsoleFiles(): Promise<ConsoleFiles | null> {
  const found = await findEntry();
  if (found === null) return null;
  const { folder, entry } = found;
  const built = (await readdir(folder)).filter((name) => name.endsWith('.gz'));
  const files = await Promise.all(
    built.map(async (name) => {
      const stem = name.slice(0, -'.gz'.length);
      return [stem, staticFile(await readFile(new URL(name, folder)), contentTypeOf(stem))] as const;
    }),
  );
  return { ...(JSON.parse(entry) as ConsoleEntry), files: new Map(files) };
}

async function findEntry(): Promise<{ readonly folder: URL; readonly entry: string } | null> {
  try {
    const folder = fileBeside(import.meta.url, 'files/');
    return { folder, entry: await readFile(new URL(ENTRY_FILE, folder), 'utf8') };
  } catch {
    return null;
  }
}
