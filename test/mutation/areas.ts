/** What is mutated, and the tests that have to notice: those that run the code in their own process. */

export interface Area {
  /** Globs from the project's root. */
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

export const AREAS: Readonly<Record<string, Area>> = {
  engagement: {
    mutate: ['core/engagement/**/*.ts'],
    tests: ['test/unit/{engagement,sweeps,webhooks}/**/*.test.ts', 'test/property/attempt-machine.test.ts'],
  },
  'web-proof': {
    mutate: ['core/web-proof/**/*.ts'],
    tests: [
      'test/unit/web-proof/*.test.ts',
      'test/unit/web-proof/{attested-values,http,notary,redaction,tlsnotary}/*.test.ts',
      'test/unit/web-proof/verify/*.test.ts',
      'test/unit/zk/{extraction,journal}.test.ts',
      'test/property/web-proof-{codec,http}.test.ts',
      'test/property/redaction.test.ts',
    ],
  },
};

/** Tells the test configuration, which runs in other processes, the area. */
export const AREA_VARIABLE = 'MUTATION_AREA';
