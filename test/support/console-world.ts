/** An instance whose console is below a prefix, and a real browser to open it in. */

import { createServer } from 'node:http';
import { credenceConsole } from '@credence/console';
import express from 'express';
import type { Cookie, Page } from 'playwright-core';
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { SIMULATED_APP } from '../../hosts/platform-simulator/official/apps.ts';
import { createScenario } from '../../hosts/platform-simulator/scenario.ts';
import { credenceExpress } from '../../plugins/express/index.ts';
import { DESKTOP, launchChromium } from './chromium.ts';
import { startInstance, testConfig } from './instance.ts';
import { listen } from './listen.ts';
import { createTestStorage } from './storage.ts';
import { type Answer, createAuthority, startOrigin } from './tls-origin.ts';

export type ConsoleWorld = Awaited<ReturnType<typeof startConsoleWorld>>;

/**
 * Starts both, with a brand, a creator and a webhook.
 * @param expected the messages of the browser that are answers, not problems
 */
export async function startConsoleWorld(
  program: string,
  answer: Answer | string,
  expected: RegExp,
  delayScale = 0.0001,
) {
  const scenario = createScenario({ instagramComments: 20 });
  const authority = createAuthority();
  const origin = await startOrigin(authority, { certificate: authority.leaf({ dns: ['localhost'] }), answer });
  const database = await createTestStorage('sqlite');
  const app = express();
  const server = await listen(createServer(app));
  const url = `${server.url}/some/prefix/console`;
  const { appId, appSecret } = SIMULATED_APP;
  const instance = await startInstance({
    world: scenario.world,
    storageUrl: database.url,
    config: (simulator) => ({
      services: ['engagement', 'web-prover', 'zk-prover'],
      zkProver: fakeProver(),
      platforms: {
        ...testConfig(simulator, database.url).platforms,
        tiktok: {
          baseUrl: simulator.tiktokBaseUrl,
          official: { appId, appSecret, baseUrl: simulator.tiktokBaseUrl, redirectUris: [url] },
        },
      },
      plugins: [credenceConsole()],
      extraRoots: [authority.root.pem],
      egress: { allow: ['127.0.0.0/8', '::1/128'] },
      delayScale,
    }),
  });
  app.use('/some/prefix', credenceExpress(instance.credence));
  const { credence } = instance;
  await credence.brands.create({ name: 'Acme', slug: 'acme' });
  await credence.creators.register({ externalId: 'user-1', platform: 'tiktok', handle: 'dana.moves' });
  await credence.webhooks.create({ brandId: 1, url: instance.receiver.url, events: ['reward.issued'] });
  const browser = await launchChromium(program);
  const newWindow = () => browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' });
  const shared = await newWindow();
  /** What browsers said of policies and failures, and what was asked of other servers. */
  const problems: string[] = [];
  async function newPage(window = shared): Promise<Page> {
    const page = await window.newPage();
    page.setDefaultTimeout(20_000);
    watch(page, [server.url, PICTURES, instance.simulator.tiktokBaseUrl], expected, problems);
    return page;
  }
  return {
    scenario,
    instance,
    database,
    origin,
    browser,
    url,
    problems,
    /** Opens a page that is watched for problems: a tab of the one window. */
    newPage: () => newPage(),
    /** The same in a window of its own: the tabs of one share the clock, which a test moves. */
    async newClockPage(session: Cookie[] = []) {
      const window = await newWindow();
      await window.addCookies(session);
      await window.clock.install();
      return newPage(window);
    },
    /** Makes a page as good as new, the only one, with nobody signed in. A new one would compile all scripts again. */
    async empty(page: Page) {
      const pages = browser.contexts().flatMap((window) => window.pages());
      for (const other of pages.filter((one) => one !== page)) await other.close();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      page.removeAllListeners('dialog').once('dialog', (leave) => leave.accept());
      await page.goto('about:blank');
      page.removeAllListeners('dialog');
      await shared.clearCookies();
    },
    /** The console at this page for who has typed the token of the admin there. */
    async signIn(page: Page, hash = '') {
      await page.goto(url + hash);
      // The only field of the page has the focus.
      await page.getByRole('heading', { name: 'Sign in to Credence' }).waitFor();
      await page.keyboard.type(instance.adminToken);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.close();
      await instance.close();
      await database.close();
      await origin[Symbol.asyncDispose]();
    },
  };
}

/** Where the simulated platforms would have the pictures of posts. Nothing else is asked of others. */
const PICTURES = 'https://media.example/';

function watch(page: Page, homes: readonly string[], expected: RegExp, problems: string[]): void {
  page.on('console', (message) => {
    if (expected.test(message.text()) || message.location().url.startsWith(PICTURES)) return;
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('request', (request) => {
    const asked = request.url();
    if (!homes.some((home) => asked.startsWith(home)) && !/^(data|blob):/.test(asked)) problems.push(asked);
  });
}
