/** A brand connects its account by the console, and sees which comments are gone: by keys in a real browser. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { findChromium } from '../support/chromium.ts';
import { goTo } from '../support/console-explorer.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

const HANDLE = 'northtrail';
const program = findChromium();

describe.skipIf(program === undefined)('accounts of a brand at the console', () => {
  let world: ConsoleWorld;
  let page: Page;

  beforeAll(async () => {
    world = await startConsoleWorld(program as string, jsonAnswer({ price: 7 }), /status of (40[0149]|501)/);
    page = await world.newPage();
    await world.signIn(page);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const text = () => page.locator('main').textContent();
  async function looked(): Promise<void> {
    expect(await axeViolations(page)).toEqual([]);
    expect(world.problems).toEqual([]);
  }

  it('connects one by the login of the platform, and says of another platform what is to be set up', async () => {
    await goTo(page, '#/brands');
    await page.getByRole('link', { name: 'Acme' }).press('Enter');
    await page.getByText('None is connected yet.').waitFor();
    await page.getByRole('button', { name: 'Connect an account' }).press('Enter');
    const dialog = page.getByRole('dialog');
    const choose = async (platform: string) => {
      await dialog.getByLabel('Platform').press('ArrowDown');
      await page.getByRole('option', { name: platform }).click();
      await dialog.getByRole('button', { name: 'Go to the login' }).press('Enter');
    };
    await choose('instagram');
    await dialog.getByText('set `platforms.instagram.official`').waitFor();
    await looked();
    await choose('tiktok');
    await page.getByText(`@${HANDLE} on tiktok is connected.`).waitFor();
    await page.getByRole('table', { name: 'Connected accounts' }).getByText(`@${HANDLE}`).waitFor();
    expect(page.url()).toBe(`${world.url}#/brands/1`);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await looked();
  });

  it('says of a comment that is gone that it is, beside the comment and at the reward', async () => {
    const { instance, scenario } = world;
    const { campaigns, creators, attempts } = instance.credence;
    const { url: targetUrl, contentId } = scenario.tiktokPost;
    const thread = scenario.world.findPost('tiktok', contentId)?.thread;
    const challenge = { targetUrl };
    const made = await campaigns.create({ brandId: 1, title: 'Trail day', pointsReward: 5, challenge });
    await creators.register({ externalId: 'user-2', platform: 'tiktok', handle: 'fan.one' });
    const challengeId = made.challenge.id;
    const { id: attemptId } = await attempts.create({ challengeId, externalId: 'user-2' });
    scenario.world.official.receive('tiktok', `${instance.baseUrl}/push/tiktok`);
    const comment = thread?.add({ handle: 'fan.one', text: 'Count me in!' });
    const read = () => attempts.get({ challengeId, attemptId });
    await vi.waitFor(async () => expect((await read()).state).toBe('rewarded'));
    if (comment) thread?.remove(comment);
    await vi.waitFor(async () => expect((await read()).matchedComment?.removed).toBeDefined());
    await goTo(page, '#/campaigns/1');
    await page.getByRole('row').filter({ hasText: 'Count me in!' }).getByText('Deleted').waitFor();
    await goTo(page, `#/campaigns/1/participants/${attemptId}`);
    await page.getByText('The reward stays.').waitFor();
    expect(await text()).toContain('Deleted since');
    await looked();
    await goTo(page, '#/campaigns/1/participants');
    await page.getByRole('row').filter({ hasText: 'Count me in!' }).getByText('Deleted').waitFor();
    await looked();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).press('Enter');
    const [head, row] = (await readFile(await (await saved).path(), 'utf8')).split(/\r?\n/);
    expect([head, row]).toEqual([
      expect.stringMatching(/,matchedComment,removed,signals,held$/),
      expect.stringMatching(/,removed,,$/),
    ]);
  });

  it('says why an account has to be connected again, and disconnects it after a question', async () => {
    world.scenario.world.official.setTokens('tiktok', HANDLE, 'revoked');
    const { api, credence } = world.instance;
    await credence.challenges.refreshComments({ challengeId: 1 });
    const listed = async () => (await api.call('GET', '/admin/brands/1/connections')).json.data;
    await vi.waitFor(async () => expect(await listed()).toMatchObject([{ status: 'revoked' }]));
    // An answer that is a few seconds old is shown as it is.
    await page.reload();
    await goTo(page, '#/brands/1');
    await page.getByText('The owner took the access back. Connect the account again.').waitFor();
    await looked();
    await page.getByRole('button', { name: `Disconnect @${HANDLE}` }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect the account' }).press('Enter');
    await page.getByText('None is connected yet.').waitFor();
    expect(world.problems).toEqual([]);
  });

  it('connects nothing by a landing that this tab did not begin, or to which the owner did not agree', async () => {
    await page.goto(`${world.url}?code=abc&state=of-somebody-else`);
    await page.getByText('This tab did not begin to connect an account.').waitFor();
    expect(page.url()).toBe(`${world.url}#/connected`);
    const begin = () => page.evaluate(`sessionStorage.setItem('credence-connecting-brand', '1')`);
    await begin();
    await page.goto(`${world.url}?error=access_denied&state=mine`);
    await page.getByText('its owner did not agree').waitFor();
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    await begin();
    await page.goto(`${world.url}?code=abc&state=mine`);
    await page.getByText('Begin the connection again.').waitFor();
    await looked();
  });
});
