/** What an operator should hear when an instance starts, not when a request first meets it. */

import type { ResolvedConfig } from '../config.ts';
import { ContainerModule } from '../container.ts';
import { provide } from '../token.ts';
import { PARTS, TOKENS } from '../tokens.ts';

export const bootWarningsModule = new ContainerModule((options) => {
  provide(options, PARTS.bootWarnings, { config: TOKENS.config }, ({ config }) => async () => {
    const { services, platforms, adapters } = config;
    const aboutProver = services.includes('zk-prover') ? await adapters.zkProver?.warning?.() : null;
    const aboutPacing = services.includes('engagement') ? warningAboutPacing(platforms.pacing) : null;
    return [aboutProver, aboutPacing].filter((warning) => typeof warning === 'string');
  });
});

function warningAboutPacing(pacing: ResolvedConfig['platforms']['pacing']): string | null {
  if (pacing !== 'off' || process.env.NODE_ENV !== 'production') return null;
  return 'SCRAPER_PACING=off: requests to platforms have no rate limit, which gets addresses and sessions blocked. Use it for simulators only.';
}
