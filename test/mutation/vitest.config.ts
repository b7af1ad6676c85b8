import { defineConfig } from 'vitest/config';
import { AREA_VARIABLE, AREAS } from './areas.ts';

const conditions = ['credence-source', 'node', 'default'];
const area = AREAS[process.env[AREA_VARIABLE] ?? ''];
if (area === undefined) throw new Error(`${AREA_VARIABLE} names no area.`);

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [...area.tests],
    setupFiles: ['test/support/fixed-seed.ts'],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
