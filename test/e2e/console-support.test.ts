/** What support asks: why did this creator get no points? Found by keys in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { DESKTOP, findChromium, PHONE } from '../support/chromium.ts';
import { goTo } from '../support/console-explorer.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

const program = findChromium();

describe.skipIf(program === undefined)('support at the console', () => {
  let world: ConsoleWorld;
  let page: Page;

  beforeAll(async () => {
    world = await startConsoleWorld(program as string, jsonAnswer({ price: 7 }), /status of [45]\d\d/, 1);
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
    await vi.waitFor(async () => expect((await read()).state).toBe('awaiting_claim'));
    page = await world.newPage();
    await world.signIn(page);
  });
  afterEach(() => expect(world.problems).toEqual([]));
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
  });

  it('shows on one page the accounts of a creator, whether they are proven, and what became of each attempt', async () => {
    await goTo(page, '#/creators/2');
    await page.getByText('Asserted, not proven').waitFor();
    await page.getByText('Instagram has no such post.').waitFor();
    await page.getByText('Nothing was sent about these attempts.').waitFor();
    await page.getByText('No points were given yet.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Attempt 1' }).click();
    await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
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
  });

  it('draws what happened on the axis of time: by range, by pointer, and as a table', async () => {
    const { credence } = world.instance;
    await credence.webhooks.test({ brandId: 1, webhookId: 1 });
    const read = async () => (await credence.series.read({ what: 'reads' })).map(({ name }) => name);
    await vi.waitFor(async () => expect(await read()).toContain('instagram'));
    await goTo(page, '#/overview');
    const chart = (name: string) => page.locator('figure').filter({ hasText: name });
    await chart('Attempts').getByText('Attempts 1').waitFor();
    await chart('Reads').locator('.bar').first().waitFor();
    expect(await chart('Points').textContent()).toContain('None in this time.');
    await page.getByRole('button', { name: '24 h' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/overview?range=24h');
    expect(await page.getByRole('button', { pressed: true }).textContent()).toBe('24 h');
    await chart('Attempts').locator('.bar').hover();
    await expect.poll(() => chart('Attempts').locator('.read').textContent()).toMatch(/\d\d?:00.+: 1$/);
    await chart('Attempts').getByText('As a table').focus();
    await page.keyboard.press('Enter');
    expect(await chart('Attempts').getByRole('table', { name: 'Attempts' }).textContent()).toMatch(/:00.+1$/);
    expect(await axeViolations(page)).toEqual([]);
    await goTo(page, '#/campaigns/1');
    await chart('Attempts').locator('.bar').waitFor();
    await goTo(page, '#/webhooks/1/1?range=24h');
    await chart('Deliveries').locator('.bar').first().waitFor();
    expect(await chart('Deliveries').textContent()).toContain('Succeeded 1');
  });

  it('sorts by the headers, in the address, and Back restores it', async () => {
    await world.instance.credence.creators.register({ externalId: 'user-7', platform: 'instagram', handle: 'zoe.z' });
    await world.instance.credence.attempts.create({ challengeId: 1, externalId: 'user-7' });
    await goTo(page, '#/campaigns/1/participants?sort=updatedAt');
    const rows = () => page.getByRole('row').getByRole('link').allTextContents();
    const changed = page.getByRole('columnheader', { name: 'Changed' });
    await expect.poll(rows).toEqual(['Ada Lovelace', 'user-7']);
    expect(await changed.getAttribute('aria-sort')).toBe('ascending');
    await changed.getByRole('button').press('Enter');
    await expect.poll(rows).toEqual(['user-7', 'Ada Lovelace']);
    expect(await changed.getAttribute('aria-sort')).toBe('descending');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Changed ▼');
    await expect.poll(() => page.evaluate('location.hash')).toContain('?sort=-updatedAt');
    await goTo(page, '#/campaigns');
    await page.goBack();
    await expect.poll(rows).toEqual(['user-7', 'Ada Lovelace']);
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'Added' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize(DESKTOP);
  });

  it('brings in someone of whom only the external id is known: a connect link, then an attempt', async () => {
    await goTo(page, '#/creators');
    await page.getByRole('button', { name: 'Make a connect link' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('External id').pressSequentially('user-99');
    await page.keyboard.press('Tab');
    await page.keyboard.type('insta');
    await page.getByRole('option', { name: 'instagram' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await dialog.getByText('Send it to user-99').waitFor();
    const link = (await dialog.locator('code, pre').textContent()) ?? '';
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'I have stored it' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(link);
    expect((await fetch(link)).status).toBe(200);

    const add = async () => {
      await goTo(page, '#/campaigns/1/participants');
      await page.getByRole('button', { name: 'Add a participant' }).press('Enter');
      await dialog.getByLabel('External id').pressSequentially('user-99');
      await page.keyboard.press('Enter');
    };
    await add();
    await dialog.getByText('register it first').waitFor();
    await page.keyboard.press('Escape');
    await world.instance.credence.creators.register({
      externalId: 'user-99',
      platform: 'instagram',
      handle: 'new.one',
    });
    await add();
    await page.getByRole('heading', { name: 'Attempt 3' }).waitFor();
    await page.getByRole('button', { name: 'Check now' }).press('Enter');
    await page.getByText('The attempt is being checked.').waitFor();
  });

  it('says what is true of a creator whose accounts are gone, and of one who never was', async () => {
    const { user } = await world.instance.credence.creators.register({
      externalId: 'gone',
      platform: 'tiktok',
      handle: 'gone.soon',
    });
    await world.instance.credence.creators.disconnect({ externalId: 'gone', platform: 'tiktok', handle: 'gone.soon' });
    await goTo(page, `#/creators/${user.id}`);
    await page.getByText('No account is linked any more').waitFor();
    expect(await page.getByRole('button', { name: 'Read the profile again' }).count()).toBe(0);
    expect(await text()).not.toContain('no creator');
    await goTo(page, '#/creators/999');
    await page.getByText('There is no creator 999.').waitFor();
    expect(await text()).not.toContain('No account is linked');
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  });

  it('keeps what a cell holds beside its header on a phone', async () => {
    await page.setViewportSize(PHONE);
    await goTo(page, '#/campaigns/1/participants');
    await page.getByText('Waiting since').first().waitFor();
    const indent = await page.evaluate(`(() => {
      const cell = [...document.querySelectorAll('.rows td')].find((each) => each.textContent.includes('Waiting since'));
      const range = document.createRange();
      range.selectNodeContents(cell);
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      return Math.min(...boxes.map(({ left }) => left)) - cell.getBoundingClientRect().left;
    })()`);
    expect(indent).toBeGreaterThan(100);
    await page.setViewportSize(DESKTOP);
  });

  it('shows the same rows after Back, whatever their heights', async () => {
    const { creators, attempts } = world.instance.credence;
    for (let each = 100; each < 150; each += 1) {
      await creators.register({ externalId: `user-${each}`, platform: 'instagram', handle: `fan_${each}` });
      await attempts.create({ challengeId: 1, externalId: `user-${each}` });
    }
    await goTo(page, '#/campaigns/1/participants');
    const rows = page.getByRole('region', { name: 'Rows: Participants' });
    const top = async () => {
      const { y = 0 } = (await rows.boundingBox()) ?? {};
      for (const link of await rows.getByRole('link').all())
        if (((await link.boundingBox())?.y ?? 0) > y + 100) return link;
      throw new Error('No row is in sight.');
    };
    await rows.getByRole('link', { name: 'user-105' }).waitFor();
    await rows.hover();
    for (let turns = 0; turns < 6; turns += 1) {
      await page.mouse.wheel(0, 600);
      await page.waitForTimeout(100);
    }
    const before = await top();
    const name = (await before.textContent()) as string;
    expect(name).toMatch(/user-1[1-4]\d/);
    const place = async () => (await rows.getByRole('link', { name }).boundingBox())?.y;
    const was = (await place()) as number;
    await before.click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await page.goBack();
    await rows.waitFor();
    // "now" has become "2 seconds ago": rows may be a line higher. Heights are rounded, by less than a pixel for each row.
    await expect.poll(async () => Math.abs(((await place()) ?? Number.NaN) - was)).toBeLessThan(20);
  });
});
