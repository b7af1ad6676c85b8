/** The console when something fails: a page, a script, the host; and what it keeps of tokens and warnings. */
import type { Cookie, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { findChromium } from '../support/chromium.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer, type OriginRequest } from '../support/tls-origin.ts';

const program = findChromium();
const SECRET = 'kept-between-us';
const SCRIPTS = '**/console/files/*.js';

describe.skipIf(program === undefined)('the console when something fails', () => {
  let world: ConsoleWorld;
  let first: Page;
  let page: Page;
  let token: string;
  let session: Cookie[];
  /** What the server answers next. */
  const answers: unknown[] = [];

  beforeAll(async () => {
    const answer = (_: OriginRequest, socket: { end(text: string): unknown }) =>
      socket.end(jsonAnswer(answers.shift() ?? { email: SECRET }));
    world = await startConsoleWorld(program as string, answer, /./);
    token = world.instance.adminToken;
    first = await world.newPage();
    await world.signIn(first);
    session = await first.context().cookies();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    page = first;
    await world.empty(page);
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const address = () => page.evaluate<string>('location.href');

  async function signIn(at = '#/overview'): Promise<void> {
    await page.goto(world.url + at);
    await page.getByLabel(/^Token/).fill(token);
    await button('Sign in').click();
    await button('Sign out').waitFor();
  }

  /** As somebody who has signed in before. */
  async function open(at = '#/overview'): Promise<void> {
    await page.context().addCookies(session);
    await page.goto(world.url + at);
    await button('Sign out').waitFor();
  }

  async function visit(name: string): Promise<void> {
    await page.getByRole('link', { name, exact: true }).click();
  }

  it('shows an error of a page, from which one can leave, try again and sign out', async () => {
    await signIn();
    const fail = async () => {
      await visit('Overview');
      await heading('Overview').waitFor();
      // No list: the page cannot draw it.
      await page.route('**/admin/settings', (route) => route.fulfill({ json: { data: 7 } }), { times: 1 });
      await visit('Settings');
      await heading('This page has an error').waitFor();
    };
    const settings = page.getByRole('table', { name: 'Settings' });
    await fail();
    expect(await axeViolations(page, 'main')).toEqual([]);
    await button('Try again').click();
    await settings.waitFor();
    await visit('Overview');
    await page.reload();
    await fail();
    await visit('Brands');
    await heading('Brands').waitFor();
    await visit('Settings');
    await settings.waitFor();
    await visit('Overview');
    await page.reload();
    await fail();
    await button('Sign out').click();
    await heading('Sign in to Credence').waitFor();
  });

  describe('a script that is missing', () => {
    beforeEach(async () => {
      await open();
      await heading('Overview').waitFor();
    });

    it('is asked for again', async () => {
      await page.route(SCRIPTS, (route) => route.abort('connectionrefused'), { times: 1 });
      await visit('Brands');
      await heading('Brands').waitFor();
    });

    it('makes the console say that the host does not answer, until it does', async () => {
      await page.route('**/console**', (route) => route.abort('connectionrefused'));
      await visit('Brands');
      await heading('The host does not answer').waitFor();
      await page.unroute('**/console**');
      await button('Try again').click();
      await heading('Brands').waitFor();
    });

    it('makes the console say that a new version is here, and reload', async () => {
      await page.route(SCRIPTS, (route) => route.fulfill({ status: 404, json: { error: 'gone' } }));
      await page.route('**/console', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace(/main-[\w-]+\.js/, 'main-next.js') });
      });
      await visit('Brands');
      await heading('A new version is here').waitFor();
      await page.unroute(SCRIPTS);
      await page.unroute('**/console');
      await button('Reload').click();
      await heading('Brands').waitFor();
    });

    it('is named as what it is if neither is so', async () => {
      await page.route(SCRIPTS, (route) => route.fulfill({ status: 404, json: { error: 'gone' } }));
      await visit('Brands');
      await heading('This page did not load').waitFor();
    });
  });

  it('names the status if something else answers for the health of the instance', async () => {
    await page.route('**/readyz', (route) => route.fulfill({ status: 502, json: { message: 'bad gateway' } }));
    await open();
    await page.getByText('/readyz answered with status 502 only.').waitFor();
    await heading('Overview').waitFor();
  });

  it('says on every page that the host does not answer, since when, and when it does again', async () => {
    page = await world.newClockPage(session);
    await open('#/brands');
    await heading('Brands').waitFor();
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    // A page that asks nothing by itself.
    await page.clock.runFor(15_000);
    const bar = page.getByRole('alert').filter({ hasText: 'The host does not answer' });
    await bar.getByText(/It last answered .+ ago/).waitFor();
    await visit('Overview');
    await heading('The host does not answer').waitFor({ state: 'detached' });
    expect(await bar.count()).toBe(1);
    await page.unroute('**/*');
    await bar.getByRole('button', { name: 'Ask again now' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.getByText('All is well.').waitFor();
  });

  it('ends the session in words when the token is revoked', async () => {
    const { credence } = world.instance;
    const made = await credence.tokens.create({ name: 'Night shift', role: 'admin' });
    const before = token;
    token = made.token;
    page = await world.newClockPage();
    await signIn('#/brands');
    token = before;
    await heading('Brands').waitFor();
    await credence.tokens.revoke({ tokenId: made.id });
    await page.clock.runFor(15_000);
    await page.getByRole('alert').filter({ hasText: 'You were signed out' }).waitFor();
    await heading('Sign in to Credence').waitFor();
    expect(await page.getByLabel(/^Token/).inputValue()).toBe('');
  });

  it('keeps the token in memory if the browser takes no cookie, and says so if signing out fails', async () => {
    await page.route('**/console-session', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.goto(`${world.url}#/brands`);
    await page.getByLabel(/^Token/).fill(token);
    await button('Sign in').click();
    await page.getByText('You are not signed in: the host answered with status 503.').waitFor();
    await page.route('**/console-session', (route) => route.fulfill({ status: 204 }), { times: 1 });
    await button('Sign in').click();
    await heading('Brands').waitFor();
    await page.reload();
    await signIn('#/brands');
    await page.route('**/console-session', (route) => route.fulfill({ status: 502 }));
    await button('Sign out').click();
    await page.getByText('You are still signed in: the host answered with status 502.').waitFor();
    await heading('Brands').waitFor();
  });

  it('asks nobody to sign in while the host cannot tell who is signed in', async () => {
    const callers = '**/auth/caller';
    await page.route(callers, (route) => route.fulfill({ status: 503 }));
    await page.context().addCookies(session);
    await page.goto(`${world.url}#/brands`);
    await page.getByRole('alert').filter({ hasText: 'The host does not answer' }).waitFor();
    expect(await heading('Sign in to Credence').count()).toBe(0);
    await page.unroute(callers);
    await heading('Brands').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('restores filters with Back and after a reload', async () => {
    await open('#/campaigns');
    // What is typed before one leaves is no filter of the next page.
    const script = Promise.withResolvers<void>();
    await page.route(SCRIPTS, (route) => script.promise.then(() => route.continue()), { times: 1 });
    await page.getByLabel('Search').fill('Acme');
    await visit('Creators');
    await page.waitForTimeout(500);
    script.resolve();
    await heading('Creators').waitFor();
    expect(await address()).not.toContain('Acme');
    await visit('Campaigns');
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Ended' }).click();
    await expect.poll(address).toContain('#/campaigns?state=ended');
    await visit('Brands');
    await heading('Brands').waitFor();
    await page.goBack();
    await heading('Campaigns').waitFor();
    expect(await page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('Ended');
    await page.reload();
    await heading('Campaigns').waitFor();
    expect(await page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('Ended');
  });

  it('keeps a secret that is shown once until somebody says that it is stored', async () => {
    await open('#/tokens');
    await page.getByLabel('Name').fill('Reports');
    await button('Create the token').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^crd_/).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.waitForTimeout(300);
    expect(await dialog.getByText(/^crd_/).count()).toBe(1);
    await button('I have stored it').click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('says that it did not start if its own script is missing', async () => {
    await page.route(SCRIPTS, (route) => route.abort('connectionrefused'));
    await page.goto(world.url);
    const message = page.getByText('The console did not start');
    expect(await message.isVisible()).toBe(false);
    await page.evaluate('document.getAnimations().forEach((late) => late.finish())');
    expect(await message.isVisible()).toBe(true);
  });

  it('shows a page at any address', async () => {
    await open();
    for (const hash of [
      '#/campaigns/%',
      '#/creators/%E0%A4%A',
      '#/webhooks/a/b',
      '#/campaigns/1/participants/%00',
      '#%',
      '#//',
    ]) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await heading('This page has an error').count()).toBe(0);
    }
  });

  describe('the token of a link', () => {
    it('is forgotten when one signs out', async () => {
      await page.goto(`${world.url}#token=${token}`);
      expect(await page.getByLabel(/^Token/).inputValue()).toBe(token);
      await button('Sign in').click();
      await button('Sign out').click();
      await heading('Sign in to Credence').waitFor();
      expect(await page.getByLabel(/^Token/).inputValue()).toBe('');
      expect(await page.content()).not.toContain(token);
    });

    it.each([
      ['signed in', true],
      ['at the sign-in', false],
    ])('is taken out of the address of a tab that is %s, and asked for a click', async (_, isSignedIn) => {
      if (isSignedIn) await signIn();
      else await page.goto(world.url);
      await page.evaluate(`location.hash = ${JSON.stringify(`token=${token}`)}`);
      await expect.poll(address).toBe(world.url);
      await expect.poll(() => page.getByLabel(/^Token/).inputValue()).toBe(token);
      await button('Sign in').click();
      await heading('Overview').waitFor();
      await page.goBack();
      expect(await address()).not.toContain(token);
    });

    it('is refused in words if it is none', async () => {
      const refuses = async () => {
        await expect.poll(address).toBe(world.url);
        await page.getByText('The link holds no valid token').waitFor();
        expect(await page.getByLabel(/^Token/).inputValue()).toBe('');
      };
      await page.goto(`${world.url}#token=%`);
      await refuses();
      for (const text of ['', '%E0%A4%A', '%20', '€', 'a%0Ab', 'x'.repeat(513)]) {
        await page.evaluate(`location.hash = ${JSON.stringify(`token=${text}`)}`);
        await refuses();
      }
    });
  });

  it('shows what prove warned of, and saves the proof only after a second yes', async () => {
    await open('#/proofs');
    await page.getByLabel('URL').fill(`https://localhost:${world.origin.port}/order`);
    answers.push({ email: SECRET, old: 1 }, { mail: SECRET, old: 1 });
    await button('Read the response').click();
    await button(`Hide email: "${SECRET}"`).click();
    await button('Make the proof').click();
    const warning = page
      .getByRole('alert')
      .filter({ hasText: 'these match no field of the response, so they hide nothing: email' });
    await warning.waitFor();
    let saved = 0;
    page.on('download', () => {
      saved += 1;
    });
    await button('Save the proof').click();
    const question = page.getByRole('dialog');
    await question.getByText('they hide nothing: email').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(saved).toBe(0);
    await button('Save the proof').click();
    await Promise.all([
      page.waitForEvent('download'),
      question.getByRole('button', { name: 'Save the proof' }).click(),
    ]);
    expect(saved).toBe(1);
  });

  it('shows the warnings of a proof from a file, and why not to rely on it', async () => {
    await open('#/proofs');
    const part = { version: 'HTTP/1.1', headers: [], body: null, raw: '' };
    const transcript = {
      serverDomain: 'bank.example',
      hostConfirmed: false,
      notaryKeyFingerprint: 'ab',
      notaryTrusted: false,
      notarization: 'blind',
      // No calendar has it.
      tlsTimestamp: 2 ** 53 - 1,
      request: { ...part, method: 'GET', url: '/' },
      response: { ...part, status: 200 },
    };
    await page.route('**/verify', (route) => route.fulfill({ json: { data: transcript } }));
    await page.getByRole('tab', { name: 'Verify and compress' }).click();
    const meta = { notaryUrl: 'https://notary.example', warnings: ['The e-mail is shown.', 7] };
    const buffer = Buffer.from(JSON.stringify({ data: '00', version: '0.1.0-alpha.12', meta }));
    await page.locator('input[type=file]').setInputFiles({ name: 'proof.json', mimeType: 'application/json', buffer });
    const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
    await alert('The e-mail is shown.');
    await alert('The name of the server is not confirmed.');
    await alert('The notary is not trusted');
    await page.getByText('the prover chose what is hidden').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await axeViolations(page, 'main')).toEqual([]);
    }
  });

  it('ends an import of refused rows when the host is down, and takes it up again', async () => {
    await open('#/creators/import');
    const rows = "2,INVALID_REQUEST,wrong,user-1,tiktok,'@dana.moves\n".repeat(9);
    const buffer = Buffer.from(`line,code,reason,externalId,platform,handle\n${rows}`);
    await page.getByLabel('CSV file').setInputFiles({ name: 'some.csv', mimeType: 'text/csv', buffer });
    await page.route('**/social-accounts', (route) => route.abort('connectionrefused'));
    await button('Import 9 rows').click();
    await page.getByRole('alert').filter({ hasText: 'The host does not answer' }).waitFor();
    await page.getByText('0 of 9 done, 0 refused.').waitFor();
    await page.unroute('**/social-accounts');
    await button('Import 9 rows').click();
    await page.getByText('9 of 9 done, 0 refused.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('tells how a form ended after one has gone to another page, and stays there', async () => {
    await open('#/campaigns/new');
    const submit = async (reply: { readonly status: number; readonly json: unknown }) => {
      const answered = Promise.withResolvers<void>();
      await page.route('**/admin/campaigns', async (route) => {
        await answered.promise;
        await route.fulfill(reply);
      });
      await page.goto(`${world.url}#/campaigns/new`);
      await page.getByRole('combobox', { name: 'Brand' }).click();
      await page.getByRole('option', { name: 'Acme' }).click();
      await page.getByLabel('Title').fill('Trail day');
      await page.getByLabel('URL of the post').fill(world.scenario.tiktokPost.url);
      await button('Create the campaign').click();
      await visit('Brands');
      await heading('Brands').waitFor();
      answered.resolve();
    };
    const path = ['body', 'title'];
    const issues = ['is too long', 'is taken'].map((message) => ({ path, message }));
    const error = { code: 'INVALID_REQUEST', message: 'Invalid request: body.title: is too long', details: { issues } };
    await submit({ status: 400, json: { error } });
    const told = 'Invalid request: body.title: is too long. body.title: is taken.';
    await page.getByRole('alert').getByText(told, { exact: true }).waitFor();
    await page.unroute('**/admin/campaigns');
    await submit({ status: 201, json: { data: { campaign: { id: 1, isActive: true, title: 'Trail day' } } } });
    await page.getByText('The campaign “Trail day” is running.').waitFor();
    await page.waitForTimeout(100);
    await heading('Brands').waitFor();
  });

  it('keeps a warning in sight after the action that caused it', async () => {
    await world.instance.credence.campaigns.create({
      brandId: 1,
      title: 'Trail day',
      pointsReward: 5,
      challenge: { targetUrl: world.scenario.tiktokPost.url },
    });
    page = await world.newClockPage(session);
    await open('#/campaigns/1');
    const swept = {
      totalFetched: 3,
      sweepStatus: 'partial',
      historyComplete: false,
      expectedTotal: 9,
      warning: 'Six are missing.',
    };
    await page.route('**/comments/refresh', (route) => route.fulfill({ json: swept }));
    await button('Update the comments').click();
    const said = page.getByRole('alert').filter({ hasText: 'Six are missing.' });
    await said.waitFor();
    await page.clock.runFor(10_000);
    expect(await said.count()).toBe(1);
    await button('Sign out').click();
    await page.clock.runFor(1_000);
    await said.waitFor({ state: 'detached' });
  });
});
