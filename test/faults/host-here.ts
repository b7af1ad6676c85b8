/** A standalone host in this process: for one that nobody kills. */

import { join } from 'node:path';
import { createApp } from '../../hosts/standalone/app.ts';
import { readEnvironment } from '../../hosts/standalone/environment.ts';
import { hostConfig } from '../../hosts/standalone/host-config.ts';
import { createLogger } from '../../hosts/standalone/logger.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import type { HostEnvironment } from './host-process.ts';

export interface HostHere extends AsyncDisposable {
  readonly baseUrl: string;
}

/** Starts a host as `hosts/standalone/main.ts` does, from the same environment; it logs into its folder. */
export async function startHostHere(env: HostEnvironment): Promise<HostHere> {
  const environment = readEnvironment(env);
  const logger = createLogger(environment.LOG_LEVEL, join(environment.DATA_DIR, 'host.log'));
  const credence = createCredence((await hostConfig(environment)).config, { logger });
  const app = await createApp(credence);
  const stop = async () => {
    await app.close();
    await credence.stop();
  };
  try {
    await credence.start();
    const baseUrl = await app.listen({ port: 0, host: environment.HOST });
    return { baseUrl, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
