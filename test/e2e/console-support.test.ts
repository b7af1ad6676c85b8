/** What support asks: why did this creator get no points? Found by keys in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { findChromium } from '../support/chromium.ts';
import { goTo } from '../support/console-explorer.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

vi.setConfig({ testTimeout: 60_000 });

const program = findChromium();

describe.skipIf(program === undefined)('support at the console', () => {
  let world: ConsoleWorld;
  let page: Page;

  beforeAll(async () => {
    world = await startConsoleWorld(program as string, jsonAnswer({ price: 7 }), /status of [45]\d\d/);
    const { instance, scenario } = world;
    const { campaigns, creators, attempts } = instance.credence;
    const { contentId } = scenario.instagramPost;
    scenario.world.failures.add({ platform: 'instagram', contentId, shape: 'not-found' });
    const challenge = { targetUrl: scenario.instagramPost.url };
    const made = await campaigns.create({ brandId: 1, title: 'Trail day', pointsReward: 5, challenge });
    const body = { externalId: 'user-42', platform: 'instagram', handle: 'ada.l', displayName: 'Ada Lovelace' };
    await creators.register(body);
    const challengeId = made.challenge.id;
    const { id: attemptId } = await attempts.create({ challengeId, externalId: 'user-42' });
    await attempts.progress({ challengeId, attemptId, action: 'claim_completion' });
    const read = () => attempts.get({ challengeId, attemptId });
    await vi.waitFor(async () => expect((await read()).state).toBe('awaiting_claim'), { timeout: 20_000 });
    page = await world.newPage();
    await page.goto(world.url);
    await page.getByLabel(/^Token/).fill(instance.adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const text = () => page.locator('main').textContent();

  it('says why an attempt waits, and when it is checked next', async () => {
    await goTo(page, '#/campaigns/1/participants');
    await page.getByText('Instagram has no such post.').waitFor();
    expect(await text()).toMatch(/Waiting since .+; next check .+in 1\d minutes/s);
    await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).click();
    await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
    await page.getByText('Instagram has no such post.').waitFor();
    expect(await text()).toContain('Post could not be read: there is no such post');
    expect(await page.getByRole('table', { name: 'History' }).getByText('Waits for the next check').count()).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/attempt.png` });
    expect(world.problems).toEqual([]);
  });

  it('goes from what is known to its page by keys: Ctrl-K, arrows, Enter; Escape closes', async () => {
    const dialog = page.getByRole('dialog', { name: 'Search' });
    // Anyone who types on at once loses no letter: no timer passes between the key and the focus.
    const focused = await page.evaluate(`(async () => {
      const key = { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', key));
      for (let step = 0; step < 10; step += 1) await null;
      return document.activeElement.role;
    })()`);
    expect(focused).toBe('combobox');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('user-');
    await dialog.getByRole('option', { name: 'user-1' }).waitFor();
    const chosen = dialog.getByRole('option', { selected: true });
    expect(await dialog.getByRole('option').count()).toBe(2);
    expect(await chosen.textContent()).toContain('user-1');
    expect(await axeViolations(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/search.png` });
    await page.keyboard.press('ArrowDown');
    expect(await chosen.textContent()).toContain('Ada Lovelace (user-42)');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
    expect(await page.evaluate('location.hash')).toBe('#/creators/2');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('none');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('rail DAY');
    await dialog.getByRole('option', { name: 'Trail day' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(world.problems).toEqual([]);
  });

  it('shows on one page the accounts of a creator, whether they are proven, and what became of each attempt', async () => {
    await goTo(page, '#/creators/2');
    await page.getByText('Asserted, not proven').waitFor();
    await page.getByText('Instagram has no such post.').waitFor();
    await page.getByText('Nothing was sent about these attempts.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/creator.png`, fullPage: true });
    await page.getByRole('link', { name: 'Attempt 1' }).click();
    await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
    expect(world.problems).toEqual([]);
  });

  it('searches participants and campaigns, and keeps what was typed in the address', async () => {
    await goTo(page, '#/campaigns/1/participants');
    await page.getByLabel('Search', { exact: true }).fill('nobody');
    await page.getByText('There are no such participants yet.').waitFor();
    await page.getByLabel('Search', { exact: true }).fill('ADA');
    await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).waitFor();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/campaigns/1/participants?q=ADA');
    await goTo(page, '#/campaigns?q=rail');
    await page.getByRole('link', { name: 'Trail day' }).waitFor();
    await page.getByLabel('Search', { exact: true }).fill('road');
    await page.getByText('There are no such campaigns.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/campaigns.png` });
    expect(world.problems).toEqual([]);
  });
});
