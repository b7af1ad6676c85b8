/** A campaign by hand, with a mouse and a keyboard, on a host that is a process of its own; then the host dies. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pieces } from '../../core/bulk.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { bundled } from '../support/bundled-host.ts';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { DESKTOP, findChromium, launchChromium } from '../support/chromium.ts';
import { CONSOLE_PAGES, goTo } from '../support/console-explorer.ts';
import { freePort } from '../support/free-port.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const program = findChromium();
const TOKEN = randomBytes(24).toString('base64url');
/** Between two keys. */
const KEY_MS = 25;
const MOST_CLICKS = 18;
const CREATORS = [
  ['user-1', '@dana.moves'],
  ['user-2', '@eve.runs'],
] as const;

describe.skipIf(program === undefined)('the console by hand', () => {
  const world = createWorld('by hand');
  const text = 'Count me in #trailday';
  const placed = CREATORS.map(([, handle], index) => ({ handle: handle.slice(1), text, index }));
  const post = world.addPost({ platform: 'tiktok', owner: 'northtrail', comments: 40, placed });
  let simulator: PlatformSimulator;
  let receiver: Receiver;
  let startHost: () => Promise<ChildHost>;
  let host: ChildHost;
  let browser: Browser;
  /** The tabs of one window: who signs in in one is signed in in all. */
  let tabs: BrowserContext;
  let url: string;
  let clicks = 0;

  beforeAll(async () => {
    for (const { handle } of placed) world.addProfile({ platform: 'tiktok', handle });
    simulator = await createPlatformSimulator({ world });
    receiver = await startReceiver();
    const port = await freePort();
    const env = {
      PORT: String(port),
      DATA_DIR: await mkdtemp(join(tmpdir(), 'by-hand-')),
      ADMIN_TOKEN: TOKEN,
      SERVICES: 'engagement,web-prover',
      TIKTOK_BASE_URL: simulator.tiktokBaseUrl,
      SCRAPER_PACING: 'off',
      EGRESS_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'error',
    };
    startHost = async () => {
      const child = startChild({ script: await bundled('hosts/standalone/main.ts'), env });
      await child.ready();
      return child;
    };
    host = await startHost();
    browser = await launchChromium(program as string);
    tabs = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' });
    tabs.setDefaultTimeout(60_000);
    await tabs.clock.install();
    url = `http://127.0.0.1:${port}/console`;
  });
  afterAll(async () => {
    await browser?.close();
    await host?.stop('SIGKILL');
    await receiver?.close();
    await simulator?.close();
  });

  async function open(hash: string): Promise<Page> {
    const page = await tabs.newPage();
    await page.goto(url + hash);
    return page;
  }

  /** Moves the mouse there, presses and releases. */
  async function click(target: Locator): Promise<void> {
    clicks += 1;
    await target.click({ delay: 2 * KEY_MS });
  }

  it('plays a campaign from the first brand to a delivered webhook, with few clicks', async () => {
    const page = await open(`#token=${TOKEN}`);
    const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
    const type = (text: string) => page.keyboard.type(text, { delay: KEY_MS });
    const press = (key: string) => page.keyboard.press(key, { delay: KEY_MS });

    await click(button('Sign in'));
    await click(link('Create a brand'));
    await click(page.getByLabel('Name'));
    await type('Acme');
    await press('Enter');
    await page.getByText('The brand “Acme” is there.').waitFor();

    await click(link('Webhooks'));
    await click(button('Create a webhook'));
    await type(receiver.url);
    await press('Enter');
    await click(button('I have stored it'));

    await click(link('Creators'));
    await click(page.getByLabel('External id'));
    for (const [externalId, handle] of CREATORS) {
      await type(externalId);
      await press('Tab');
      await type('tiktok');
      await press('Tab');
      await type(handle);
      await press('Enter');
      await page.getByText(`${handle} is linked.`).waitFor();
    }

    await click(link('Campaigns'));
    await click(link('Create a campaign'));
    await heading('Create a campaign');
    await click(page.getByLabel('Title'));
    await type('Trail day');
    await press('Tab');
    await page.keyboard.insertText(post.url);
    await press('Enter');
    await heading('Trail day');

    // One claims by way of support, the other is found.
    await click(button('Add a participant'));
    await type('user-1');
    await press('Enter');
    await heading('Attempt 1');
    await click(button('Check now'));
    await page.getByText('Rewarded', { exact: true }).first().waitFor();

    await page.goBack();
    await heading('Trail day');
    await click(button('Verify and reward'));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('@eve.runs').waitFor();
    await click(dialog.getByRole('button', { name: 'Verify and reward' }));
    await page.getByText('1 matched, 1 verified, 1 rewarded.').waitFor();

    await click(link('Webhooks'));
    await click(link(receiver.url));
    await click(link('reward.issued').first());
    await page.getByRole('region', { name: 'Body as JSON' }).getByText('user-2').waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await expect
      .poll(() => receiver.received.map(({ body }) => JSON.parse(body).event).toSorted())
      .toEqual(['creator.verified', 'creator.verified', 'reward.issued', 'reward.issued']);
    console.log(`A campaign by hand takes ${clicks} clicks.`);
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await page.close();
  });

  it('keeps every page when the host is killed, says so, and recovers by itself when it is back', async () => {
    const hashes = CONSOLE_PAGES.map((path) => `#${path.replaceAll(/:\w+/g, '1')}`);
    const seen = (page: Page) => page.locator('main').getByRole('heading').allTextContents();
    const pages: { readonly hash: string; readonly page: Page; readonly before: readonly string[] }[] = [];
    for (const some of pieces(hashes, 3)) {
      const opened = some.map(async (hash) => {
        const page = await open(hash);
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        await goTo(page, hash);
        return { hash, page, before: await seen(page) };
      });
      pages.push(...(await Promise.all(opened)));
    }
    const look = (check: (page: Page, before: readonly string[]) => Promise<void>) =>
      Promise.all(
        pages.map(({ hash, page, before }) =>
          check(page, before).catch((cause) => {
            throw new Error(`On the page ${hash}`, { cause });
          }),
        ),
      );
    const bar = (page: Page) => page.getByRole('alert').filter({ hasText: 'The host does not answer' });

    await host.stop('SIGKILL');
    await tabs.clock.runFor(15_000);
    await look(async (page, before) => {
      await bar(page).getByText('It last answered').waitFor();
      expect(await bar(page).count()).toBe(1);
      await expect.poll(() => seen(page)).toEqual(expect.arrayContaining([...before]));
    });
    host = await startHost();
    // In steps: the clock must not outrun the host, or its answers come late and the pages wait longer.
    while ((await Promise.all(pages.map(({ page }) => bar(page).count()))).some(Boolean))
      await tabs.clock.runFor(5_000);
    await look(async (page, before) => {
      expect(await page.getByRole('alert').count()).toBe(0);
      await expect.poll(() => seen(page)).toEqual(expect.arrayContaining([...before]));
    });
  });
});
