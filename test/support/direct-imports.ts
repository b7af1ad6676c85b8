/**
 * Resolves relative imports of sources before vitest does (`set-up.ts`). It tells its main process of every import, for the
 * tests that watch mode runs again: tens of thousands of messages a run.
 */
import { registerHooks } from 'node:module';

const SOURCE = /^\.{1,2}\/.*\.ts$/;

if (process.env.VITEST_MODE !== 'WATCH') {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context;
      if (!SOURCE.test(specifier) || parentURL?.startsWith('file:') !== true || parentURL.includes('/node_modules/')) {
        return nextResolve(specifier, context);
      }
      return { url: new URL(specifier, parentURL).href, shortCircuit: true };
    },
  });
}
