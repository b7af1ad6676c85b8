import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// Without 'import': vitest hands the conditions to Node, whose `require` would then load ES modules (Express breaks on it).
const conditions = ['credence-source', 'node', 'default'];

const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    ...test,
  },
});

const MEMORY = 'test/security/{bombs,large-answers,hostile-requests}.test.ts';

export default defineConfig({
  test: {
    // One worker per core, and one more: many tests wait, for leases and for processes of their own.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['test/support/mongo-of-run.ts', 'test/support/package-of-run.ts'],
    projects: [
      project({ name: 'arch', include: ['test/arch/**/*.test.ts'] }),
      // They leave nothing behind, so that a worker loads what they share once and not for each file.
      project({ name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false }),
      project({ name: 'property', include: ['test/property/**/*.test.ts'], isolate: false }),
      // They measure memory: in a process of their own, garbage of other files does not count.
      project({ name: 'memory', include: [MEMORY] }),
      project({
        name: 'credence',
        include: ['test/**/*.test.ts'],
        exclude: ['test/{arch,unit,property}/**', MEMORY],
        isolate: false,
      }),
    ],
  },
});
