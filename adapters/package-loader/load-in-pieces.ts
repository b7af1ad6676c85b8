import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRequire, HERE } from './create-require.ts';

/** A `require` at the beginning of a file's own code. One in a function or a block is indented, and may never run. */
const REQUIRE = /^(?!\s).*?\brequire\((['"])([^'"]+)\1\)/gm;
const COMMON_JS_FILE = /\.c?js$/;

/**
 * Loads a CommonJS package file by file, each in a turn of the event loop. A later `require` or `import` finds it loaded. All
 * at once, a package of 100 files holds the event loop for 100 ms. Files run in the order of `require`: a file after those
 * that it needs, and files that need each other together.
 * @param from URL or path of a file whose packages are meant. Default: this one.
 * @throws what the package or a file throws, or what Node.js throws if there is none
 */
export async function loadInPieces(name: string, from: string | URL = HERE): Promise<void> {
  // The components of a graph by Tarjan: files that need each other have the same lowest number.
  const numbers = new Map<string, number>();
  const open: string[] = [];

  async function visit(file: string): Promise<number> {
    const own = numbers.size;
    numbers.set(file, own);
    open.push(file);
    let lowest = own;
    const require = createRequire(file);
    for (const needed of await neededBy(file, require)) {
      const known = numbers.get(needed);
      if (known === undefined) lowest = Math.min(lowest, await visit(needed));
      else if (open.includes(needed)) lowest = Math.min(lowest, known);
    }
    if (lowest === own) {
      open.splice(open.indexOf(file));
      await nextTurn();
      require(file);
    }
    return lowest;
  }

  await visit(createRequire(from).resolve(name));
}

/** The CommonJS files that a file loads as soon as it runs. What is not found is left to the file itself. */
async function neededBy(file: string, require: NodeJS.Require): Promise<readonly string[]> {
  const source = await readFile(file, 'utf8');
  return Array.from(source.matchAll(REQUIRE), ([, , wanted = '']) => wanted).flatMap((wanted) => {
    try {
      const found = require.resolve(wanted);
      return COMMON_JS_FILE.test(found) ? [found] : [];
    } catch {
      return [];
    }
  });
}
