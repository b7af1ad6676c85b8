import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { COMPILE_CACHE, SHORT_LIVED_COMPILERS } from './test/support/compile-cache.ts';
import { SlowestFirst } from './test/support/slowest-first.ts';
import { TEMPORARY_FOLDER } from './test/support/temporary-folder.ts';

// What vite itself loads, the global set-up. Without 'import': the conditions reach `require`, which would load ES modules.
const conditions = ['credence-source', 'node', 'default'];

const FROM_SOURCES = '--conditions=credence-source';

const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Vitest gives a poll one second, too little on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Node loads the sources itself, as in production. No test replaces a module, so nothing has to watch imports.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [FROM_SOURCES],
    // For the workers, and for the processes that tests start with their environment.
    env: { ...COMPILE_CACHE, ...SHORT_LIVED_COMPILERS, TMPDIR: TEMPORARY_FOLDER },
    setupFiles: ['test/support/set-up.ts'],
    ...test,
  },
});

const ARCH = 'test/arch/**/*.test.ts';
const MEMORY = 'test/security/{bombs,large-answers}.test.ts';

export default defineConfig({
  test: {
    // One worker per core, and two more: many tests wait, for leases and for processes of their own.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowestFirst },
    globalSetup: [
      'test/support/temporary-folder.ts',
      'test/support/mongo-of-run.ts',
      'test/support/postgres-of-run.ts',
      'test/support/package-of-run.ts',
      'test/support/console-of-run.ts',
      'test/support/hosts-of-run.ts',
    ],
    projects: [
      project({ name: 'arch', include: [ARCH], isolate: false }),
      // They leave nothing behind, so a worker loads shared modules once, not for each file.
      project({
        name: 'credence',
        include: ['test/**/*.test.ts'],
        exclude: ['**/node_modules/**', ARCH, MEMORY],
        isolate: false,
      }),
      // They measure memory: in a process of their own, garbage of other files does not count.
      project({ name: 'memory', include: [MEMORY] }),
    ],
  },
});
