import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Without 'import': vitest hands the conditions to Node, whose `require` would then load ES modules (Express breaks on it).
const shared = {
  resolve: { conditions: ['credence-source', 'node', 'default'] },
  ssr: { resolve: { conditions: ['credence-source', 'node', 'default'] } },
};

export default defineConfig({
  ...shared,
  test: {
    // One worker per core, also where vitest would keep a core for itself.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { ...shared, test: { name: 'arch', include: ['test/arch/**/*.test.ts'] } },
      {
        ...shared,
        test: {
          name: 'credence',
          include: ['test/**/*.test.ts'],
          exclude: ['test/arch/**'],
          // On a build machine others may take the processor from a real process just then; a second failure counts.
          retry: process.env.CI ? 1 : 0,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
