/**
 * Resolves imports before vitest does (`set-up.ts`). It tells its main process of every import of a source, for watch mode: tens
 * of thousands of messages a run. Node looks for a package again for each import of it.
 */
import { type ResolveFnOutput, registerHooks } from 'node:module';

const RELATIVE = /^\.{1,2}\/.*\.(?:ts|[cm]?js)$/;
const PACKAGE = /^[@a-z]/;

if (process.env.VITEST_MODE !== 'WATCH') {
  /** Packages that sources import, by name: all sources are of one package. */
  const packages = new Map<string, ResolveFnOutput>();

  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL, conditions } = context;
      if (parentURL?.startsWith('file:') !== true || !conditions.includes('import'))
        return nextResolve(specifier, context);
      if (RELATIVE.test(specifier)) return { url: new URL(specifier, parentURL).href, shortCircuit: true };
      if (!PACKAGE.test(specifier) || parentURL.includes('/node_modules/')) return nextResolve(specifier, context);
      const known = packages.get(specifier) ?? nextResolve(specifier, context);
      packages.set(specifier, known);
      return { ...known, shortCircuit: true };
    },
  });
}
