/** A whole Credence instance for tests: simulated platforms, a storage, a host and a webhook receiver, all on loopback. */

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld, type World } from '../../hosts/platform-simulator/world.ts';
import {
  type CredenceConfig,
  type CredenceOptions,
  createCredence,
  silentLogger,
} from '../../plugins/compose/index.ts';
import { createApiClient } from './client.ts';
import { type MountKind, startHost } from './hosts.ts';
import { newFolder } from './new-folder.ts';
import { startReceiver } from './receiver.ts';

export interface InstanceOptions {
  readonly host?: MountKind;
  /** A temporary SQLite file by default. */
  readonly storageUrl?: string | undefined;
  /** A world with a fixed seed by default. */
  readonly world?: World;
  /** Laid over the test configuration, part by part; of the simulator if it needs the addresses. */
  readonly config?: Partial<CredenceConfig> | ((simulator: PlatformSimulator) => Partial<CredenceConfig>);
  readonly options?: CredenceOptions;
}

export type TestInstance = Awaited<ReturnType<typeof startInstance>>;

export const INSTAGRAM_SESSION = '70000000009%3Atests%3A1';

/** What `createCredence` takes to read the simulator and to reach receivers on loopback. */
export function testConfig(simulator: PlatformSimulator, storageUrl: string): CredenceConfig {
  return {
    storage: { url: storageUrl },
    secrets: { key: randomBytes(32) },
    egress: { allow: ['127.0.0.0/8'] },
    platforms: {
      pacing: 'off',
      // A busy machine must not change what is answered.
      profileWaitMs: 30_000,
      instagram: { baseUrl: simulator.instagramBaseUrl, sessionIds: [INSTAGRAM_SESSION] },
      tiktok: { baseUrl: simulator.tiktokBaseUrl },
    },
    delayScale: 0.002,
    // The real one loads its largest circuits, in a process of its own: most tests need none.
    zkProver: fakeProver(),
  };
}

/** One instance for all tests of a block. */
export function instanceOfBlock(given?: InstanceOptions): TestInstance {
  const instance = {} as TestInstance;
  beforeAll(async () => void Object.assign(instance, await startInstance(given)));
  afterAll(() => instance.close?.());
  return instance;
}

/** Starts everything; `close` ends it and removes what was stored. */
export async function startInstance(given: InstanceOptions = {}) {
  const { host: hostKind = 'fastify' } = given;
  const cleanups: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const world = given.world ?? createWorld('tests');
    world.sessions.set(INSTAGRAM_SESSION, 'live');
    const simulator = await createPlatformSimulator({ world });
    cleanups.push(() => simulator.close());
    const receiver = await startReceiver();
    cleanups.push(() => receiver.close());
    const directory = newFolder();
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    const url = given.storageUrl ?? `sqlite:${join(directory, 'credence.db')}`;
    const adminToken = randomBytes(24).toString('base64url');
    const own = typeof given.config === 'function' ? given.config(simulator) : given.config;
    const config = { ...testConfig(simulator, url), adminToken, ...own };
    const credence = createCredence(config, { logger: silentLogger, ...given.options });
    cleanups.push(() => credence.stop());
    await credence.start();
    const { baseUrl, close: closeHost } = await startHost(hostKind, credence);
    cleanups.push(closeHost);
    /** Calls with the admin token unless told otherwise. */
    const api = createApiClient(baseUrl, adminToken);
    const made = { host: hostKind, credence, baseUrl, adminToken, api, world, simulator, receiver };
    return { ...made, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
