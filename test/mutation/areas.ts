/** What is mutated, and the tests that have to notice: those that run the code in their own process. */

export interface Area {
  /** Globs from the project's root. */
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Globs of what guards secrets, money, rights or memory: every mutant that survives there is explained. */
  readonly critical: readonly string[];
}

export const AREAS: Readonly<Record<string, Area>> = {
  engagement: {
    mutate: ['core/engagement/**/*.ts'],
    tests: ['test/unit/{engagement,challenge-data,webhooks}/**/*.test.ts', 'test/property/attempt-machine.test.ts'],
    critical: [
      'core/engagement/attempts/*.ts',
      'core/engagement/connections/*.ts',
      'core/engagement/webhooks/{check-url,secret,signature,webhook-signers}.ts',
    ],
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
    critical: ['core/web-proof/**/*.ts'],
  },
  scraping: {
    mutate: ['adapters/scraping/*.ts'],
    // Not the pace that processes share, which are started for it.
    tests: [
      'test/unit/scraping/{anonymous,attempt,browser,circuit-breaker,client,client-verdicts,deadline,options,pacing}.test.ts',
      'test/unit/scraping/{pace-client,platform-value,rate-queue,rate-shares,readers,session-pool,transport,turn-queue}.test.ts',
    ],
    critical: ['adapters/scraping/{anonymous,deadline,identity,session-pool,transport}.ts'],
  },
  instagram: {
    mutate: ['adapters/instagram/*.ts'],
    tests: [
      'test/unit/platforms/post-url.test.ts',
      'test/unit/scraping/platform-value.test.ts',
      'test/unit/instagram/{api-verdict,cursor,platform,failures,fair-answers,refusals,sessions,shortcode,tokens,ways}.test.ts',
    ],
    critical: ['adapters/instagram/{api-verdict,ownership-rules,tokens}.ts'],
  },
  tiktok: {
    mutate: ['adapters/tiktok/*.ts'],
    tests: [
      'test/unit/platforms/post-url.test.ts',
      'test/unit/scraping/platform-value.test.ts',
      'test/unit/tiktok/{answers,platform,failures,readers,short-link,sign,waf}.test.ts',
    ],
    critical: ['adapters/tiktok/{answers,ownership-rules,short-link}.ts'],
  },
  http: {
    // Without the wording of the OpenAPI document, which test/contract/openapi checks as a whole.
    mutate: [
      'plugins/http/*.ts',
      'plugins/http/dispatch/*.ts',
      '!plugins/http/{openapi,openapi-overview,webhook-events}.ts',
      'plugins/fetch/*.ts',
    ],
    tests: ['test/unit/{http,fetch}/*.test.ts'],
    critical: [
      'plugins/http/{access,body,body-budget,connection-guard,error-reply,host-header,json-size,limits,pipelining}.ts',
      'plugins/http/dispatch/*.ts',
    ],
  },
};

/** Tells the test configuration, which runs in other processes, the area. */
export const AREA_VARIABLE = 'MUTATION_AREA';
