/** Everything the demo runs: simulated platforms and a receiver in this process, the standalone host in its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type CredenceClient, createCredenceClient } from '@credence/client';
import { createScenario, type Scenario } from '../platform-simulator/scenario.ts';
import { createPlatformSimulator } from '../platform-simulator/server.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Shop, startShop } from './shop.ts';

const STANDALONE = fileURLToPath(new URL('../standalone/main.ts', import.meta.url));

export interface Stage {
  readonly scenario: Scenario;
  readonly receiver: Receiver;
  readonly shop: Shop;
  readonly baseUrl: string;
  readonly adminToken: string;
  /** Calls the public API. */
  readonly client: CredenceClient;
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const scenario = createScenario();
  const simulator = await createPlatformSimulator({ world: scenario.world });
  const receiver = await startReceiver();
  const shop = await startShop();
  const dataDir = await mkdtemp(join(tmpdir(), 'credence-demo-'));
  const rootFile = join(dataDir, 'demo-root.pem');
  await writeFile(rootFile, shop.rootPem);
  const adminToken = randomBytes(24).toString('base64url');
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    ADMIN_TOKEN: adminToken,
    INSTAGRAM_BASE_URL: simulator.instagramBaseUrl,
    TIKTOK_BASE_URL: simulator.tiktokBaseUrl,
    INSTAGRAM_SESSION_IDS: scenario.instagramSessionId,
    SCRAPER_PACING: 'off',
    // The demo's receiver and shop are on loopback, which outbound requests may not reach otherwise.
    EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    TLS_EXTRA_CA_FILE: rootFile,
    DELAY_SCALE: '0.02',
    LOG_LEVEL: 'warn',
  };
  const host = spawn(process.execPath, ['--conditions=credence-source', STANDALONE], {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async () => {
    await stopChild(host);
    await Promise.all([simulator.close(), receiver.close(), shop.close()]);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const baseUrl = await readyUrl(host);
    const client = createCredenceClient({ url: baseUrl, token: adminToken });
    return { scenario, receiver, shop, baseUrl, adminToken, client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What any process needs. Settings of a real host, such as its `STORAGE_URL`, must not lead the demo into its database. */
function inherited(): NodeJS.ProcessEnv {
  const needed = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.includes(name)));
}

/** The URL of the ready line. */
async function readyUrl(host: ChildProcess): Promise<string> {
  const lines = createInterface({ input: host.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const url = /^listening on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      host.stdout?.resume();
      return url;
    }
  }
  throw new Error('The host ended before it was ready; its messages stand above.');
}

async function stopChild(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  host.kill('SIGTERM');
  await once(host, 'exit');
}
