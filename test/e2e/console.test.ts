/** The console below a prefix, in a real browser, on the platform simulator. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { withConsole } from '@credence/console';
import express from 'express';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { drawProof, faultsOf } from '../../core/engagement/campaigns/draw.ts';
import { createCredence, silentLogger } from '../../plugins/compose/index.ts';
import { credenceExpress } from '../../plugins/express/index.ts';
import { axeViolations } from '../support/axe.ts';
import { DESKTOP, findChromium, PHONE } from '../support/chromium.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import type { TestInstance } from '../support/instance.ts';
import { listen } from '../support/listen.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

const SECRET = 'kept-between-us';
const ANSWER = jsonAnswer({ price: 7, buyer: { email: SECRET } });
const program = findChromium();

describe.skipIf(program === undefined)('the console in a browser', () => {
  let world: ConsoleWorld;
  let instance: TestInstance;
  let page: Page;
  let second: Page;
  let problems: readonly string[];

  beforeAll(async () => {
    // Numbers of a post that were never read, and what is refused, are answers.
    world = await startConsoleWorld(program as string, ANSWER, /status of (40[0149]|422)/);
    ({ instance, problems } = world);
    page = await world.newPage();
  });
  afterEach(() => expect(problems).toEqual([]));
  afterAll(() => world?.[Symbol.asyncDispose]());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  /** Waits until the page says it; if it never does, tells what it says instead. */
  async function said(text: string | RegExp): Promise<void> {
    try {
      await page.getByText(text).first().waitFor();
    } catch (cause) {
      throw new Error(`The page does not say ${text}, but: ${await page.locator('body').textContent()}`, { cause });
    }
  }

  /** Asks again and again: the page's policy lets nothing wait inside it. */
  async function holds(expression: string, timeout: number): Promise<void> {
    await expect.poll(() => page.evaluate(expression), { timeout }).toBe(true);
  }

  async function signIn(token: string): Promise<void> {
    await page.getByLabel(/^Token/).fill(token);
    await button('Sign in').click();
  }

  async function edit(): Promise<void> {
    await button('More actions').first().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
  }

  async function choose(label: string, option: string): Promise<void> {
    await page
      .getByLabel(new RegExp(`^${label}`))
      .first()
      .click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  it('signs in by token, refuses an unknown one, and is still signed in after a reload and in a second tab', async () => {
    await page.goto(world.url);
    await signIn('crd_unknown-token-of-nobody');
    await said('The token is not valid');
    await signIn(instance.adminToken);
    await heading('Overview').waitFor();
    await said('All is well.');
    await page.getByRole('link', { name: 'Brands', exact: true }).click();
    await page.reload();
    await heading('Brands').waitFor();
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
    const { pathname } = new URL('.', world.url);
    expect(await page.context().cookies()).toMatchObject([
      { httpOnly: true, sameSite: 'Strict', path: pathname.slice(0, -1) },
    ]);
    second = await world.newPage();
    await second.goto(world.url);
    await second.getByText('All is well.').waitFor();
  });

  it('signs out of all tabs, says so in the others, and follows them back in', async () => {
    await button('Sign out').press('Enter');
    await heading('Sign in to Credence').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await second.getByText('You signed out in another tab.').waitFor();
    expect(await axeViolations(second)).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    await second.getByLabel(/^Token/).fill(instance.adminToken);
    await second.keyboard.press('Enter');
    await heading('Overview').waitFor();
    await second.close();
  });

  it('runs a campaign from its creation to the reward', async () => {
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('link', { name: 'Create a campaign' }).click();
    await heading('Create a campaign').waitFor();
    await choose('Brand', 'Acme');
    await page.getByLabel('Title').fill('Trail day');
    const url = page.getByLabel('URL of the post');
    await url.fill('no post');
    await button('Create the campaign').click();
    await said('Refused: VALIDATION_ERROR');
    // Once, where it is looked for.
    expect(await page.getByRole('alert').count()).toBe(1);
    // As apps share it. The campaign takes it, so the page shows it.
    await url.fill('tiktok.com/t/ZTtrail01/?k=1');
    const shown = page.getByRole('link', { name: 'Open the post on tiktok' });
    await shown.waitFor();
    await url.fill('no post');
    await shown.waitFor({ state: 'detached' });
    await url.fill(world.scenario.tiktokPost.url);
    await shown.waitFor();
    // Every attempt to deliver its events fails.
    instance.receiver.answers.push(...Array.from({ length: 20 }, () => 500));
    await button('Create the campaign').click();
    await heading('Trail day').waitFor();
    // What loads above the button moves it: a click during that would be lost.
    await said('Nobody takes part yet.');
    await page.getByRole('link', { name: 'Open the post on tiktok' }).waitFor();
    await said('No comments are here yet.');
    await button('Update the comments').click();
    await said(/comments. All were read/);
    await button('Verify and reward').click();
    await said('1 creator gets 100 points.');
    await page.getByRole('dialog').getByText('Loving the new trail shoes! #trailday').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Verify and reward' }).click();
    await said('1 matched, 1 verified, 1 rewarded.');
    await said('100 points issued.');
    await button('Verify and reward').click();
    await said('Nobody would be paid now.');
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Verify and reward' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'All participants' }).click();
    await page.getByRole('link', { name: 'user-1' }).click();
    await said('Loving the new trail shoes! #trailday');
    expect(await instance.credence.campaigns.summarise({ id: 1 })).toMatchObject({ totalPointsIssued: 100 });
  });

  it('changes a campaign, and not the points after a reward', async () => {
    await page.evaluate("location.hash = '#/campaigns/1'");
    await said('100 points issued.');
    await edit();
    await page.getByLabel('Description').fill('Run and tell.');
    await page.getByLabel('Ends').fill('2020-01-01T00:00');
    await page.getByLabel('Starts').fill('2030-01-01T00:00');
    expect(await page.getByLabel('Points for each creator').isDisabled()).toBe(true);
    await button('Save').click();
    await said('endsAt must be later than startsAt.');
    await page.getByLabel('Starts').fill('');
    await page.getByLabel('Ends').fill('2036-01-01T00:00');
    await page.getByLabel('Title').press('Enter');
    await said('“Trail day” is changed.');
    await said('Run and tell.');
    const { challenge, ...campaign } = await instance.credence.campaigns.get({ id: 1 });
    const endsAt = new Date('2036-01-01T00:00');
    expect(campaign).toMatchObject({ description: 'Run and tell.', pointsReward: 100, startsAt: null, endsAt });
    expect(challenge.instructionText).toBe('Comment on the post from your linked account.');
  });

  it('tries rules for comments before it saves them, and keeps them after a reward', async () => {
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('link', { name: 'Create a campaign' }).click();
    await page.getByLabel('Title').fill('Answer with a word');
    await page.getByLabel('URL of the post').fill(world.scenario.tiktokPost.url);
    await page.getByText('Comments that count').click();
    await page.getByLabel('has at least so many words').fill('4');
    await choose('Brand', 'Acme');
    await button('Create the campaign').click();
    await heading('Answer with a word').waitFor();
    await said('has 4 words or more.');
    await said('No comments are here yet.');
    await button('Update the comments').click();
    await said(/comments. All were read/);
    await button('Rules for comments').click();
    await page.getByLabel('has all of these hashtags').fill('Trailday');
    await page.getByLabel('is not a reply').check();
    await button('Try the rules').click();
    await said('1 of 180 comments count, by 1 account.');
    await page.getByRole('dialog').getByText('Loving the new trail shoes! #trailday').waitFor();
    await page.getByLabel('has all of these hashtags').fill('two words #trailday');
    expect(await page.getByText('1 of 180 comments count').count()).toBe(0);
    await page.getByLabel('has all of these hashtags').fill('trailday');
    expect(await axeViolations(page)).toEqual([]);
    await button('Save the rules').click();
    await said('The rules are saved.');
    await said('has #trailday, has 4 words or more, and is not a reply.');
    const { challenge } = await instance.credence.campaigns.get({ id: 2 });
    expect(challenge.rules).toEqual({ hashtags: ['trailday'], minWords: 4, topLevelOnly: true });
    await edit();
    await page.getByText('Paid at once.').last().click();
    await choose('Rewards that wait for your approval', 'All');
    await button('Save').click();
    await said('“Answer with a word” is changed.');
    await said('Paid after your approval.');
    const { campaigns } = instance.credence;
    expect(await campaigns.get({ id: 2 })).toMatchObject({
      terms: { review: 'all' },
      challenge: { rules: { minWords: 4 } },
    });
    await campaigns.delete({ id: 2 });
    const target = { targetUrl: world.scenario.instagramPost.url, action: 'like' } as const;
    const likes = await campaigns.create({ brandId: 1, title: 'Likes', pointsReward: 1, challenge: target });
    await page.evaluate(`location.hash = '/campaigns/${likes.campaign.id}'`);
    await heading('Likes').waitFor();
    await said('Like the post from your linked account.');
    expect(await button('Rules for comments').count()).toBe(0);
    await edit();
    await page.getByLabel('Starts').fill('2035-01-01T00:00');
    await page.getByLabel('Title').fill('Likes of all');
    await campaigns.end({ id: likes.campaign.id });
    await button('Save').click();
    await said('The campaign was ended: this stays.');
    expect(await page.getByLabel('Starts').inputValue()).toBe('');
    await button('Save').click();
    await said('“Likes of all” is changed.');
    await campaigns.delete({ id: likes.campaign.id });
    await page.evaluate("location.hash = '#/campaigns/1'");
    await said('100 points issued.');
    await button('Rules for comments').click();
    await said('Creators were verified: the rules stay.');
    expect(await button('Save the rules').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('changes a brand and deletes one that nothing belongs to', async () => {
    await page.getByRole('link', { name: 'Brands', exact: true }).click();
    await page.getByLabel('Name').fill('Spare');
    await page.getByLabel('Slug').fill('spare');
    await page.getByLabel('Slug').press('Enter');
    await button('Edit Spare').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Slug').fill('acme');
    await dialog.getByLabel('Slug').press('Enter');
    await said('The slug "acme" is taken.');
    await dialog.getByLabel('Slug').fill('spare-2');
    await dialog.getByLabel('Name').fill('Spare two');
    await button('Save').click();
    await said('“Spare two” is changed.');
    await button('Delete Acme').click();
    await button('Delete the brand').click();
    await said('The brand has 1 campaign and 1 webhook; delete these first.');
    expect(await axeViolations(page, '[role=alert]', ['color-contrast'])).toEqual([]);
    await page.getByRole('alert').filter({ hasText: 'The brand has' }).getByRole('button').click();
    await button('Delete Spare two').click();
    await button('Delete the brand').click();
    await said('“Spare two” is deleted.');
    expect((await instance.credence.brands.list()).map(({ slug }) => slug)).toEqual(['acme']);
  });

  it('shows the secret of a new webhook once, and changes its URL and its events', async () => {
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await button('Create a webhook').click();
    await page.getByLabel('URL').fill('https://hooks.example/new');
    await button('Create the webhook').click();
    await said(/^whsec_/);
    await button('I have stored it').click();
    const made = page.getByRole('link', { name: 'https://hooks.example/new' });
    await made.waitFor();
    await expect.poll(() => page.content()).not.toContain('whsec_');
    await made.click();
    await edit();
    await page.getByLabel('URL').fill('https://hooks.example/changed');
    await page.getByLabel('creator.verified').uncheck();
    await button('Save').click();
    await said('The webhook is changed.');
    expect(await instance.credence.webhooks.list({ brandId: 1 })).toMatchObject([
      {},
      { url: 'https://hooks.example/changed', events: ['reward.issued', 'verification.failed'] },
    ]);
    await edit();
    expect(await page.getByLabel('URL').inputValue()).toBe('https://hooks.example/changed');
    await page.keyboard.press('Escape');
  });

  it('proves a page without the value that was picked, and shows what the proof holds', async () => {
    await page.getByRole('link', { name: 'Web proofs', exact: true }).click();
    await page.getByLabel('URL').fill(`https://localhost:${world.origin.port}/order`);
    await button('Read the response').click();
    const value = button(`Hide buyer.email: "${SECRET}"`);
    await value.press('Enter');
    expect(await value.getAttribute('aria-pressed')).toBe('true');
    await said('1 chosen.');
    await button('Make the proof').click();
    await said(/^This proof holds: localhost said it/);
    const answer = page.getByRole('region', { name: 'Response' });
    expect(await answer.textContent()).toContain(`"price":7,"buyer":{"email":"${'X'.repeat(SECRET.length)}"}`);
    expect(await page.locator('mark').allTextContents()).toContain('X'.repeat(SECRET.length));
    await button('Prove price: 7').press('Space');
    expect(await page.getByLabel('Values for the contract').inputValue()).toBe('price');
    await button('Show the Solidity code').click();
    const code = await page.getByRole('region', { name: 'Solidity code' }).textContent();
    expect(code).toContain('abi.decode');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
    await button('Compress').click();
    const seal = page.getByRole('definition').filter({ hasText: /^0x[0-9a-f]{64,}$/ });
    await seal.first().waitFor();
    await said('Gas to verify');
    await button('Copy the seal').click();
    const seals = await seal.allTextContents();
    expect(seals).toContain(await page.evaluate('navigator.clipboard.readText()'));
    const [kept] = await Promise.all([page.waitForEvent('download'), button('Save the seal').click()]);
    expect(seals).toContain(JSON.parse(await readFile(await kept.path(), 'utf8')).zkProof);
    await button('Copy the guest id').click();
    await button('Copied the guest id').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await axeViolations(page, 'main')).toEqual([]);
  });

  it('verifies a proof from a file that is dropped, and says what is wrong with another file', async () => {
    const [saved] = await Promise.all([page.waitForEvent('download'), button('Save the proof').click()]);
    const text = await readFile(await saved.path(), 'utf8');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await heading('Webhooks').waitFor();
    await page.getByRole('link', { name: 'Web proofs', exact: true }).click();
    await page.getByRole('tab', { name: 'Verify and compress' }).click();
    const drop = async (content: string) => {
      const dataTransfer = await page.evaluateHandle(
        `(() => {
          const files = new DataTransfer();
          files.items.add(new File([${JSON.stringify(content)}], 'web-proof.json', { type: 'application/json' }));
          return files;
        })()`,
      );
      await page.getByText('Drop the file of a web proof').dispatchEvent('drop', { dataTransfer });
    };
    await drop('no JSON');
    await said('The file is not JSON. Choose the file of a web proof.');
    expect(await heading('What it proves').count()).toBe(0);
    await drop(text);
    await said('Trusted');
    expect(await page.getByRole('region', { name: 'Response' }).textContent()).toContain('"price":7');
  });

  it('exports the personal data of a creator, and erases it after a question', async () => {
    const body = {
      externalId: 'leaving',
      platform: 'tiktok',
      handle: 'leaving.soon',
      displayName: 'Lea Ving',
    } as const;
    const { user } = await instance.credence.creators.register(body);
    await page.evaluate(`location.hash = '#/creators/${user.id}'`);
    await heading('Lea Ving').waitFor();
    await button('More actions').click();
    const item = page.getByRole('menuitem', { name: 'Export personal data' });
    const [saved] = await Promise.all([page.waitForEvent('download'), item.click()]);
    expect(saved.suggestedFilename()).toBe(`creator-${user.id}.json`);
    expect(JSON.parse(await readFile(await saved.path(), 'utf8'))).toMatchObject({
      creator: { externalId: 'leaving' },
      accounts: [{ platformUsername: 'leaving.soon' }],
    });
    await button('More actions').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Erase personal data' }).press('Enter');
    await page.getByRole('dialog', { name: 'Erase the personal data of Lea Ving?' }).waitFor();
    await button('Erase the personal data').click();
    await said('The personal data of Lea Ving was erased.');
    await heading('Creators').waitFor();
    await expect.poll(() => page.locator('main').textContent()).not.toContain('leaving');
    expect(await instance.credence.creators.isHandleRegistered({ handle: 'leaving.soon' })).toEqual({
      verified: false,
    });
  });

  it('has no page in which axe finds something, light on desktops and dark on phones', async () => {
    const labels = await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link')
      .evaluateAll((links: readonly { readonly hash: string }[]) => links.map(({ hash }) => hash).filter(Boolean));
    expect(labels).toEqual(expect.arrayContaining(['#/overview', '#/campaigns', '#/webhooks', '#/proofs']));
    const below = ['#/campaigns/new', '#/campaigns/1', '#/campaigns/1/participants', '#/campaigns/1/participants/1'];
    const violations: string[] = [];
    const looks = [['light', DESKTOP] as const, ['dark', PHONE] as const];
    const look = async (shown: string, { within, once }: { within?: string; once?: boolean } = {}) => {
      for (const [colorScheme, viewport] of once ? looks.slice(0, 1) : looks) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize(viewport);
        const found = await axeViolations(page, within);
        // Resized in steps by the browser: it fits soon, or never.
        const fits = page.waitForFunction('document.documentElement.scrollWidth <= innerWidth', null, {
          timeout: 3_000,
        });
        await fits.catch(() => found.push('wider than the window'));
        violations.push(...found.map((text) => `${shown}, ${colorScheme}, ${viewport.width} px: ${text}`));
      }
      // The next page begins as this one ends, since resizing costs as much as looking; or with the other look.
      looks.reverse();
    };
    for (const hash of [...labels, ...below, '#/webhooks/1/1/deliveries/1', '#/webhooks/1/1']) {
      await page.evaluate(`document.activeElement?.blur(); location.hash = ${JSON.stringify(hash)}`);
      await holds(
        'document.activeElement?.matches("main h1") && !document.querySelector("main .mantine-Loader-root")',
        20_000,
      );
      // What is around it is the same on every page. The lists are alike: every other one on a phone.
      const isList = /^#\/(?:campaigns|webhooks|creators|brands|tokens|audit-log)$/.test(hash);
      await look(hash, hash === labels[0] ? {} : { within: 'main', once: isList });
    }
    await edit();
    await page.getByRole('dialog').getByLabel('URL').waitFor();
    await look('a dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Sign out').click();
    await heading('Sign in to Credence').waitFor();
    await look('sign-in');
    expect(violations).toEqual([]);
  });

  // Late: its tries have run out by now.
  it('replays a webhook that failed', async () => {
    await page.setViewportSize(DESKTOP);
    await signIn(instance.adminToken);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: instance.receiver.url }).click();
    const failed = page.getByRole('row').filter({ hasText: 'reward.issued' }).filter({ hasText: 'Failed' });
    await failed.waitFor();
    instance.receiver.answers.splice(0);
    await failed.getByRole('link', { name: 'reward.issued' }).click();
    await said('I answer 500.');
    await page.goBack();
    await failed.getByRole('button', { name: 'Replay' }).click();
    await said('Sent again: reward.issued.');
    const sent = page.getByRole('row').filter({ hasText: 'Succeeded' });
    await sent.waitFor();
    await sent.getByRole('link', { name: 'reward.issued' }).click();
    const body = await page.getByRole('region', { name: 'Body as JSON' }).textContent();
    expect(body).toMatch(/^\{\n {2}"event": "reward\.issued"/);
    const [last] = instance.receiver.received.slice(-1);
    expect(JSON.parse(body ?? '')).toEqual(JSON.parse(last?.body ?? ''));
    expect(await page.getByRole('table', { name: 'Tries' }).getByRole('row').count()).toBe(2);
    await button('Sign out').click();
  });

  it('tries a new webhook at once, and sends what failed again', async () => {
    await signIn(instance.adminToken);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await button('Create a webhook').click();
    await page.getByLabel('URL').waitFor();
    await page.keyboard.type(`${instance.receiver.url}?tested`);
    await button('Create the webhook').click();
    const dialog = page.getByRole('dialog');
    const test = dialog.getByRole('button', { name: 'Send a test event' });
    instance.receiver.answers.push(503);
    await test.click();
    await said(/The receiver answered 503\. It took \d+ ms\./);
    expect(await dialog.getByRole('region', { name: 'Response' }).textContent()).toBe('I answer 503.');
    await test.click();
    await said(/The receiver answered 204\./);
    await button('I have stored it').click();
    const row = page.getByRole('row').filter({ hasText: '?tested' });
    await row.getByText('The receiver answered 503.').waitFor();
    await row.getByRole('link').click();
    await button('Send failed ones again').click();
    await button('Send 1 again').click();
    await said('Sent again: 1.');
    await expect.poll(() => instance.receiver.received.filter(({ path }) => path.includes('tested')).length).toBe(3);
    await button('Sign out').click();
  });

  it('shows dead jobs with their reason, and runs one or all of a kind again', async () => {
    const storage = world.database.create();
    await storage.open();
    const [now, far] = [new Date(), new Date(Date.now() + 3_600_000)];
    const jobs = [1, 2, 3].map(
      (n) => ({ type: 'issue-reward', key: `dead:${n}`, payload: { attemptId: 990 + n }, runAt: far }) as const,
    );
    await storage.jobs.enqueue(jobs, now);
    const claimed = await storage.jobs.claim(['issue-reward'], 3, far, new Date(far.getTime() + 1_000));
    for (const job of claimed) await storage.jobs.deadLetter(job, 'INTERNAL_ERROR: The disk is full.', now);
    await storage.close();
    await signIn(instance.adminToken);
    await page.getByRole('link', { name: 'All jobs' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Attempt 992' });
    await row.getByText('The disk is full.').waitFor();
    await row.getByRole('button').click();
    await said(/Job \d+ is queued again\./);
    await choose('Kind', 'Issue points');
    await expect.poll(() => page.url()).toContain('type=issue-reward');
    await button('Run all again').click();
    await page.getByRole('heading', { name: 'Run all dead jobs of the kind “Issue points” again?' }).waitFor();
    await button('Run 2 again').click();
    await said('Queued again: 2.');
    await said('No job was given up.');
    const { data } = await instance.credence.audit.list({ operation: 'retryJobs' });
    expect(data.map(({ target }) => target)).toEqual(['job:issue-reward', expect.stringMatching(/^job:\d+$/)]);
    await button('Sign out').click();
  });

  it('shows a token of one brand its pages only', async () => {
    const { token } = await instance.credence.tokens.create({ name: 'Acme', role: 'brand', brandId: 1 });
    await page.setViewportSize(DESKTOP);
    await signIn(token);
    await heading('Campaigns').waitFor();
    await page.getByRole('link', { name: 'Trail day' }).waitFor();
    await said('Brand: Acme');
    const pages = page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.getByRole('link', { name: 'Overview' }).count()).toBe(0);
    expect(await pages.getByRole('link', { name: 'Webhooks' }).count()).toBe(1);
  });

  it('draws the winners of a raffle, and saves the proof', async () => {
    const { credence } = instance;
    await page.getByRole('link', { name: 'Create a campaign' }).click();
    await page.getByLabel('Title').fill('Raffle');
    await page.getByLabel('URL of the post').fill(world.scenario.tiktokPost.url);
    await page.getByText('No draw.').click();
    await page.getByLabel('Draw winners with').fill('drand round 5000000');
    await button('Create the campaign').click();
    await heading('Raffle').waitFor();
    await said('Verified creators wait for the draw.');
    const id = Number(page.url().split('/').at(-1));
    const { challenge } = await credence.campaigns.get({ id });
    await credence.creators.register({ externalId: 'lucky', platform: 'tiktok', handle: 'lucky' });
    const attempt = await credence.attempts.create({ challengeId: challenge.id, externalId: 'lucky' });
    await credence.attempts.forceVerify({ challengeId: challenge.id, attemptId: attempt.id });
    await button('Draw winners').click();
    await page.getByLabel('How many win').fill('2');
    await page.getByLabel('Value of “drand round 5000000”').fill('f477d5c89f21');
    await page.keyboard.press('Enter');
    await said(/Draw at most so many winners/);
    await page.getByLabel('How many win').fill('1');
    await page.keyboard.press('Enter');
    await said('1 of 1');
    const [file] = await Promise.all([page.waitForEvent('download'), button('Save the proof').click()]);
    const proof = drawProof.parse(JSON.parse(await readFile(await file.path(), 'utf8')));
    expect([proof.winners, await faultsOf(proof)]).toEqual([[attempt.id], []]);
    await expect.poll(async () => (await credence.campaigns.summarise({ id })).totalRewarded).toBe(1);
  });

  it('is only where the host mounts it, and shows whom the host knows its pages without a token', async () => {
    const config = { storage: 'sqlite::memory:' } as const;
    const admin = { role: 'admin', tokenId: null, externalId: null, key: 'the operator' } as const;
    const credence = createCredence(config, { logger: silentLogger, identify: () => admin });
    await credence.start();
    const app = express()
      .use('/public', credenceExpress(credence))
      .use('/internal', credenceExpress(withConsole(credence)));
    const { url: at, close } = await listen(createServer(app));
    const visitor = await world.browser.newPage({ viewport: DESKTOP });
    try {
      expect((await visitor.goto(`${at}/public/console`))?.status()).toBe(404);
      await visitor.goto(`${at}/internal/console`);
      await visitor.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      await visitor.getByText('All is well.').waitFor();
      await visitor.evaluate('location.hash = "token=of-somebody-else"');
      await expect.poll(() => visitor.evaluate('location.hash')).toBe('#/overview');
      await visitor.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      expect(await visitor.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    } finally {
      await visitor.close();
      await close();
      await credence.stop();
    }
  });
});
