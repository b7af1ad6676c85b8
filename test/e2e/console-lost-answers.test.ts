/** The console when an answer is lost or late: nothing is made twice, and nothing that was made stays unseen. */
import type { Cookie, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../support/chromium.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

const program = findChromium();
/** Between two keys. */
const KEY_MS = 25;

describe.skipIf(program === undefined)('the console when an answer is lost or late', () => {
  let world: ConsoleWorld;
  let first: Page;
  let page: Page;
  let session: Cookie[];

  beforeAll(async () => {
    world = await startConsoleWorld(program as string, jsonAnswer({ price: 7 }), /./);
    first = await world.newPage();
    await world.signIn(first);
    session = await first.context().cookies();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    page = first;
    await world.empty(page);
    await page.context().addCookies(session);
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
  const alert = (text: string) => page.getByRole('alert').filter({ hasText: text });

  async function open(hash: string): Promise<void> {
    await page.goto(world.url + hash);
    await button('Sign out').waitFor();
  }

  async function visit(name: string): Promise<void> {
    await page.getByRole('link', { name, exact: true }).click();
    await heading(name);
  }

  async function type(label: string, text: string): Promise<void> {
    await page.getByLabel(label, { exact: true }).fill('');
    await page.getByLabel(label, { exact: true }).pressSequentially(text, { delay: KEY_MS });
  }

  const onPost = (glob: string, then: (route: Route) => Promise<void>) =>
    page.route(glob, (route) => (route.request().method() === 'POST' ? then(route) : route.continue()));

  const loseAnswers = (glob: string) =>
    onPost(glob, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });

  /** Returns what lets the answers come. */
  async function holdAnswers(glob: string): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    await onPost(glob, async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    return held.resolve;
  }

  it('makes one thing of a form that is sent again after its answer was lost', async () => {
    const named = async (name: string) =>
      (await world.instance.credence.tokens.list({})).filter((token) => token.name === name).length;
    const create = () => button('Create the token').click();
    const see = async () => {
      await page.getByRole('dialog').getByText(/^crd_/).waitFor();
      await button('I have stored it').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await open('#/tokens');
    await type('Name *', 'Reports');
    await loseAnswers('**/tokens');
    await create();
    await page.locator('form').getByText('The host does not answer').waitFor();
    await page.unroute('**/tokens');
    await create();
    await see();
    expect(await named('Reports')).toBe(1);
    // Once it was answered, the same again is another one.
    await type('Name *', 'Reports');
    await create();
    await see();
    expect(await named('Reports')).toBe(2);
    // The first request is still at work.
    await onPost('**/tokens', async (route) => {
      const error = { code: 'IDEMPOTENCY_KEY_IN_USE', message: 'This Idempotency-Key is in use.' };
      await route.fulfill({ status: 409, json: { error } });
    });
    await type('Name *', 'Late');
    await create();
    await page.locator('form').getByText('Try again in half a minute.').waitFor();
    await page.unroute('**/tokens');
    // A proxy answers in place of the host; then a field is changed.
    await onPost('**/tokens', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 503, json: { message: 'try later' } });
    });
    await type('Name *', 'Night');
    await create();
    await page.locator('form').getByText('try later').waitFor();
    await page.unroute('**/tokens');
    await type('Name *', 'Day');
    await create();
    await see();
    expect([await named('Night'), await named('Day')]).toEqual([1, 1]);
  });

  describe('a person who leaves the page before the answer', () => {
    const secret = () => page.getByRole('dialog').getByText(/^(crd|whsec)_/);

    it('is shown a new token', async () => {
      await open('#/tokens');
      await type('Name *', 'Left');
      const answer = await holdAnswers('**/tokens');
      await button('Create the token').click();
      await visit('Brands');
      answer();
      await secret().waitFor();
      await button('I have stored it').click();
      await secret().waitFor({ state: 'detached' });
      await visit('Tokens');
      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    it('is shown the secret of a new webhook, and may test it', async () => {
      await open('#/brands');
      await visit('Webhooks');
      await button('Create a webhook').click();
      await page.getByLabel('URL').pressSequentially(world.instance.receiver.url, { delay: KEY_MS });
      const answer = await holdAnswers('**/webhooks');
      await button('Create the webhook').click();
      await page.goBack();
      await heading('Brands');
      answer();
      await secret().waitFor();
      await button('Send a test event').click();
      await page.getByText('The receiver answered 204.').waitFor();
    });

    it('keeps the form below a secret, with what is typed', async () => {
      await open('#/tokens');
      await type('Name *', 'Above');
      const answer = await holdAnswers('**/tokens');
      await button('Create the token').click();
      await visit('Webhooks');
      await button('Create a webhook').click();
      const url = page.getByLabel('URL');
      await url.pressSequentially('https://half', { delay: KEY_MS });
      answer();
      await secret().waitFor();
      await page.keyboard.press('Escape');
      await button('I have stored it').click();
      await secret().waitFor({ state: 'detached' });
      expect(await url.inputValue()).toBe('https://half');
      await expect.poll(() => url.evaluate('document.activeElement?.value')).toBe('https://half');
      await page.keyboard.press('Escape');
      await url.waitFor({ state: 'detached' });
      const focused = () => page.evaluate('document.activeElement?.textContent');
      expect(await focused()).toBe('Create a webhook');
      await page.unroute('**/tokens');
      await button('Create a webhook').click();
      await url.pressSequentially(world.instance.receiver.url, { delay: KEY_MS });
      await page.keyboard.press('Enter');
      await button('I have stored it').click();
      await expect.poll(focused).toBe('Create a webhook');
    });

    it('is shown the new secret of a webhook', async () => {
      await open('#/webhooks/1/1');
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
      const answer = await holdAnswers('**/rotate-secret');
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
      await visit('Brands');
      answer();
      await secret().waitFor();
    });

    it('finds a web proof, and is told that there is none', async () => {
      await open('#/proofs');
      await type('URL *', `https://localhost:${world.origin.port}/order`);
      await button('Read the response').click();
      await button('Hide price: 7').waitFor();
      const answer = await holdAnswers('**/prove');
      await button('Make the proof').click();
      await visit('Brands');
      answer();
      await alert('The web proof is made.').waitFor();
      await visit('Web proofs');
      await page.getByText('What it proves').waitFor();
      await page.getByRole('tab', { name: 'Make' }).click();
      await page.unroute('**/prove');
      const refuse = Promise.withResolvers<void>();
      await onPost('**/prove', async (route) => {
        await refuse.promise;
        const error = { code: 'INVALID_REQUEST', message: 'The server has gone' };
        await route.fulfill({ status: 400, json: { error } });
      });
      await type('URL *', `https://localhost:${world.origin.port}/other`);
      await button('Read the response').click();
      await visit('Brands');
      refuse.resolve();
      await alert('The server has gone').waitFor();
    });

    it('finds an import as far as it is, and may stop it', async () => {
      await open('#/creators/import');
      const buffer = Buffer.from(`externalId,platform,handle\n${'user-1,tiktok,dana.moves\n'.repeat(9)}`);
      await page.getByLabel('CSV file').setInputFiles({ name: 'some.csv', mimeType: 'text/csv', buffer });
      const answer = await holdAnswers('**/social-accounts');
      await button('Import 9 rows').click();
      await visit('Brands');
      await page.goBack();
      await page.getByText('0 of 9 done, 0 refused.').waitFor();
      await page.getByText('The rows are those of some.csv.').waitFor();
      answer();
      await page.getByText('9 of 9 done, 0 refused.').waitFor();
      await page.unroute('**/social-accounts');
      await holdAnswers('**/social-accounts');
      await button('Import 9 rows').click();
      await visit('Brands');
      await page.goBack();
      await button('Stop').click();
      await button('Stop').waitFor({ state: 'detached' });
      await page.getByText('0 of 9 done, 0 refused.').waitFor();
    });

    it('is asked before the tab is closed', async () => {
      await open('#/tokens');
      await type('Name *', 'Closed');
      const answer = await holdAnswers('**/tokens');
      await button('Create the token').click();
      const asked = page.waitForEvent('dialog');
      await page.close({ runBeforeUnload: true });
      const question = await asked;
      expect(question.type()).toBe('beforeunload');
      await question.dismiss();
      answer();
      await secret().waitFor();
      await button('I have stored it').click();
      // Nobody is asked where nothing would be lost, as on the way to the login of a platform.
      let questions = 0;
      page.on('dialog', async (dialog) => {
        questions += 1;
        await dialog.accept();
      });
      await visit('Brands');
      await type('Name *', 'Closed');
      await onPost('**/brands', () => Promise.resolve());
      await button('Create the brand').click();
      await page.reload();
      await heading('Brands');
      expect(questions).toBe(0);
    });
  });

  describe('after the host could not answer for a while', () => {
    /** Answers with 503 there until the client has given up; then what lets the host answer. */
    async function overload(glob: string, hash: string): Promise<() => Promise<void>> {
      let refused = 0;
      page = await world.newClockPage(session);
      await page.route(glob, (route) => {
        refused += 1;
        return route.fulfill({ status: 503, json: {} });
      });
      await open(hash);
      await advanceUntil(() => refused >= 3);
      await page.waitForTimeout(300);
      return () => page.unroute(glob);
    }

    /** In steps, in which answers come. */
    async function advanceUntil(isSo: () => Promise<boolean> | boolean): Promise<void> {
      for (let step = 0; step < 60 && !(await isSo()); step += 1) {
        await page.clock.runFor(1_000);
        await page.waitForTimeout(50);
      }
      expect(await isSo()).toBe(true);
    }

    it('has the brands of the form for a new campaign, and said why there were none', async () => {
      const recover = await overload('**/admin/brands**', '#/campaigns/new');
      const brand = page.getByRole('combobox', { name: 'Brand' });
      const said = await page.getByText(/status 503/).count();
      await recover();
      await advanceUntil(async () => (await brand.inputValue()) === 'Acme');
      expect([said, await page.getByText(/status 503/).count()]).toEqual([1, 0]);
    });

    it('has the figures of the overview, and the first steps', async () => {
      const recover = await overload('**/admin/creators**', '#/overview');
      const card = page.getByRole('link', { name: /Accounts of creators/ });
      expect(await card.textContent()).not.toMatch(/\d/);
      await recover();
      await advanceUntil(async () => /\d/.test((await card.textContent()) ?? ''));
      await page.getByRole('region', { name: 'First steps' }).waitFor();
    });

    it('has the failed deliveries that can be sent again, and said why their number was not known', async () => {
      await open('#/webhooks/1/1');
      await page.route('**/deliveries?*failedSince*', (route) => route.fulfill({ status: 503, json: {} }));
      await button('Send failed ones again').click();
      await page.getByRole('dialog').getByText('The call was refused with status 503.').waitFor();
      await page.unroute('**/deliveries?*failedSince*');
      await page.getByRole('dialog').getByText('None failed in that time.').waitFor();
    });

    it('takes the bar away within seconds, however long it was', async () => {
      page = await world.newClockPage(session);
      await open('#/overview');
      await page.getByText('All is well.').waitFor();
      await page.route('**/some/prefix/**', (route) => route.abort('connectionrefused'));
      for (let passed = 0; passed < 120; passed += 5) {
        await page.clock.runFor(5_000);
        await page.waitForTimeout(50);
      }
      const bar = page.locator('main').getByRole('alert').filter({ hasText: 'It last answered' });
      await bar.getByText('minute').waitFor();
      await page.unroute('**/some/prefix/**');
      await page.clock.runFor(6_000);
      await bar.waitFor({ state: 'detached' });
    });
  });

  describe('a session that another tab ends', () => {
    const signIn = async (tab: Page, token: string) => {
      await tab.getByLabel(/^Token/).fill(token);
      await tab.keyboard.press('Enter');
      await tab.getByRole('button', { name: 'Sign out' }).waitFor();
    };

    it('gives a form back to the same caller, and to nobody else', async () => {
      const { credence, adminToken } = world.instance;
      const brand = await credence.tokens.create({ name: 'Acme', role: 'brand', brandId: 1 });
      const other = await world.newPage();
      await other.goto(`${world.url}#/brands`);
      await open('#/campaigns/new');
      await type('Title *', 'Half a title');
      const title = page.getByLabel('Title');
      for (const [token, kept] of [
        [adminToken, 'Half a title'],
        [brand.token, ''],
        [adminToken, 'Half a title'],
      ] as const) {
        await other.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in to Credence' }).waitFor();
        await signIn(other, token);
        await title.waitFor();
        expect(await title.inputValue()).toBe(kept);
      }
      await visit('Brands');
      await page.goBack();
      expect(await title.inputValue()).toBe('');
      await title.fill('Another one');
      await button('Sign out').click();
      await page.getByRole('heading', { name: 'Sign in to Credence' }).waitFor();
      await page.goto(`${world.url}#/campaigns/new`);
      await signIn(page, adminToken);
      expect(await title.inputValue()).toBe('');
    });

    it('gives a review back for the same participant only', async () => {
      const { attempts, campaigns, creators } = world.instance.credence;
      const made = await campaigns.create({
        brandId: 1,
        title: 'Reviewed',
        pointsReward: 5,
        challenge: { targetUrl: world.scenario.tiktokPost.url },
        terms: { review: 'all' },
      });
      const challengeId = made.challenge.id;
      for (const externalId of ['one', 'two']) {
        await creators.register({ externalId, platform: 'tiktok', handle: externalId });
        const { id: attemptId } = await attempts.create({ challengeId, externalId });
        await attempts.forceVerify({ challengeId, attemptId });
      }
      await open(`#/campaigns/${made.campaign.id}/participants`);
      const review = (who: string) =>
        page.getByRole('row').filter({ hasText: who }).getByRole('button', { name: 'Review' }).click();
      const reason = page.getByRole('dialog').getByLabel('Reason');
      await review('one (tiktok)');
      await reason.pressSequentially('Copied', { delay: KEY_MS });
      const other = await world.newPage();
      await other.goto(`${world.url}#/brands`);
      await other.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to Credence' }).waitFor();
      await signIn(page, world.instance.adminToken);
      await review('two (tiktok)');
      expect(await reason.inputValue()).toBe('');
      await page.keyboard.press('Escape');
      await review('one (tiktok)');
      expect(await reason.inputValue()).toBe('Copied');
    });

    it('does not give back what was sent and answered', async () => {
      const other = await world.newPage();
      for (const [name, kept] of [
        ['Answered', ''],
        ['Refused', 'Refused'],
      ] as const) {
        await other.goto(`${world.url}#/brands`);
        await open('#/tokens');
        await type('Name *', name);
        const sent = Promise.withResolvers<void>();
        const held = Promise.withResolvers<void>();
        await onPost('**/tokens', async (route) => {
          const response = await route.fetch();
          sent.resolve();
          await held.promise;
          await route.fulfill(name === 'Refused' ? { status: 400, json: {} } : { response });
        });
        await button('Create the token').click();
        await sent.promise;
        await other.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in to Credence' }).waitFor();
        const answered = page.waitForResponse('**/tokens');
        held.resolve();
        await answered;
        await page.waitForTimeout(300);
        await page.unroute('**/tokens');
        await signIn(page, world.instance.adminToken);
        expect(await page.getByLabel('Name *', { exact: true }).inputValue()).toBe(kept);
      }
    });

    it('says nothing any more', async () => {
      await open('#/brands');
      const other = await world.newPage();
      await other.goto(`${world.url}#/brands`);
      await type('Name *', 'Late');
      const answer = await holdAnswers('**/brands');
      await button('Create the brand').click();
      await other.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in to Credence' }).waitFor();
      const answered = page.waitForResponse('**/brands');
      answer();
      await answered;
      await page.waitForTimeout(300);
      expect(await page.getByText('is there.').count()).toBe(0);
    });
  });

  it('follows an address with filters that is pasted over another one, and the way back', async () => {
    await open('#/campaigns?state=ended');
    const state = page.getByRole('combobox', { name: 'State' });
    await expect.poll(() => state.inputValue()).toBe('Ended');
    await page.evaluate("location.hash = '#/campaigns?state=upcoming&q=trail'");
    await expect.poll(() => state.inputValue()).toBe('Upcoming');
    expect(await page.getByLabel('Search').inputValue()).toBe('trail');
    await page.goBack();
    await expect.poll(() => state.inputValue()).toBe('Ended');
    await page.getByLabel('Search').pressSequentially('trail day', { delay: KEY_MS });
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/campaigns?state=ended&q=trail+day');
    expect(await page.getByLabel('Search').inputValue()).toBe('trail day');
  });

  it('asks once, and deletes once, after double clicks', async () => {
    await world.instance.credence.brands.create({ name: 'Double', slug: 'double' });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    let deleted = 0;
    page.on('request', (request) => {
      if (request.method() === 'DELETE') deleted += 1;
    });
    await open('#/brands');
    await button('Delete Double').dblclick({ delay: 2 * KEY_MS });
    await button('Delete the brand').dblclick({ delay: 2 * KEY_MS });
    await page.getByText('“Double” is deleted.').waitFor();
    await page.waitForTimeout(300);
    expect(deleted).toBe(1);
    expect(await alert('This did not work').count()).toBe(0);
  });
});
