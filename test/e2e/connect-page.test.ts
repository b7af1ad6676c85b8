/** The connect page below a prefix, in a real browser: with and without JavaScript, at two widths, in light and in dark. */
import { createServer } from 'node:http';
import express from 'express';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectionRequest } from '../../core/engagement/connections/connection.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld, type WorldProfile } from '../../hosts/platform-simulator/world.ts';
import { type Credence, createCredence, silentLogger } from '../../plugins/compose/index.ts';
import { credenceExpress } from '../../plugins/express/index.ts';
import { awayPage, connectPage, noSuchConnectPage } from '../../plugins/http/pages/connect/connect-page.ts';
import { connectLook } from '../../plugins/http/pages/connect/style.ts';
import { axeViolations } from '../support/axe.ts';
import { DESKTOP, findChromium, launchChromium, PHONE } from '../support/chromium.ts';
import { testConfig } from '../support/instance.ts';
import { type Listening, listen } from '../support/listen.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const BRAND = { name: 'Acme', logoUrl: `data:image/png;base64,${PIXEL}`, color: '#ffcc00' };
const program = findChromium();

describe.skipIf(program === undefined)('the connect page in a browser', () => {
  const world = createWorld('connect-page');
  let simulator: PlatformSimulator;
  let credence: Credence;
  let server: Listening;
  let browser: Browser;
  let origin: string;
  let opened = 0;
  /** What the console said of policies and failures. */
  const problems: string[] = [];

  beforeAll(async () => {
    simulator = await createPlatformSimulator({ world });
    const connect = { brand: BRAND, returnOrigins: ['https://app.example'] };
    credence = createCredence({ ...testConfig(simulator, 'sqlite::memory:'), connect }, { logger: silentLogger });
    await credence.start();
    server = await listen(createServer(express().use('/some/prefix', credenceExpress(credence))));
    origin = server.url;
    browser = await launchChromium(program as string);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await credence?.stop();
    await simulator?.close();
  });

  /** Starts a request of a new creator, whose profile has no code yet. */
  async function begin(): Promise<{ url: string; handle: string; profile: WorldProfile }> {
    opened += 1;
    const handle = `creator_${opened}`;
    const profile = world.addProfile({ platform: 'instagram', handle });
    const { requestId } = await credence.connections.start({
      platform: 'instagram',
      externalId: `user-${opened}`,
      returnUrl: 'https://app.example/me',
    });
    return { url: `${origin}/some/prefix/connect/${requestId}`, handle, profile };
  }

  async function open(context: BrowserContext, url: string): Promise<Page> {
    const page = await context.newPage();
    page.on('console', (message) => {
      // The browser itself reports the status of every failed request.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) problems.push(message.text());
    });
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(url);
    return page;
  }

  it('copies the code, says that it checks, and tells the outcome in the language of the browser', async () => {
    const { url, handle, profile } = await begin();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const context = await browser.newContext({ viewport: PHONE, locale: 'de-AT', permissions });
    const page = await open(context, url);
    const status = page.locator('form + [role=status]');
    expect(await page.title()).toBe('Verbinde dein Instagram-Konto · Acme');
    const code = String(await page.locator('code').first().textContent());
    await page.getByRole('button', { name: 'Code kopieren' }).click();
    await expect.poll(() => status.textContent()).toBe('Kopiert.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
    // Not in UTC any more, and how long it is until then.
    expect(await page.locator('small').textContent()).toMatch(/^Noch 10 Prüfungen .*\(in (29|30) Minuten\)$/);

    const gate = Promise.withResolvers<void>();
    await page.route(url, async (route) => {
      if (route.request().method() === 'POST') await gate.promise;
      await route.continue();
    });
    await page.getByLabel('Dein Benutzername bei Instagram').fill(handle);
    await page.keyboard.press('Enter');
    await expect.poll(() => status.textContent()).toContain('wird gelesen');
    const button = page.getByRole('button', { name: 'Mein Profil prüfen' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    // A second press while the check runs makes no second one.
    await page.keyboard.press('Enter');
    gate.resolve();
    await page
      .getByRole('alert')
      .filter({ hasText: `noch nicht in der Profilbeschreibung von @${handle}` })
      .waitFor();
    expect(await page.locator('small').textContent()).toContain('Noch 9 Prüfungen');
    expect(await page.evaluate('document.activeElement.type')).toBe('submit');
    expect(await status.textContent()).toBe('');

    profile.bio = `Hallo ${code}`;
    expect(await page.getByLabel('Dein Benutzername bei Instagram').inputValue()).toBe(handle);
    // A look that began before the check and ends after it is no news.
    const late = Promise.withResolvers<void>();
    const answerOfBefore = async (route: Route) => {
      const response = await route.fetch();
      await late.promise;
      await route.fulfill({ response });
    };
    await page.route(url, answerOfBefore, { times: 1 });
    const looked = page.waitForEvent('requestfinished', (request) => request.method() === 'GET');
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'Dein Instagram-Konto ist verbunden' });
    await heading.waitFor();
    late.resolve();
    await looked;
    expect(await page.title()).toBe('Dein Instagram-Konto ist verbunden · Acme');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    const back = page.getByRole('link', { name: 'Zurück zu Acme' });
    expect(await back.getAttribute('href')).toMatch(
      /^https:\/\/app\.example\/me\?status=connected&platform=instagram&/,
    );
    expect(await page.getByRole('form').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('says when a check could not be made, and notices that the request has ended elsewhere', async () => {
    const { url, handle, profile } = await begin();
    const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB' });
    const page = await open(context, url);
    await page.getByLabel('Your Instagram handle').fill(handle);
    await page.route(url, (route) => route.abort());
    await page.getByRole('button', { name: 'Check my profile' }).click();
    await expect.poll(() => page.locator('form + [role=status]').textContent()).toContain('could not be made');
    expect(await page.getByRole('button', { name: 'Check my profile' }).getAttribute('aria-disabled')).toBeNull();
    await page.unroute(url);

    // Without the right to the clipboard the code is selected.
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await expect
      .poll(() => page.evaluate('String(getSelection())'))
      .toBe(await page.locator('code').first().textContent());

    profile.bio = String(await page.locator('code').first().textContent());
    const body = new URLSearchParams({ handle });
    expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByRole('heading', { name: 'Your Instagram account is connected' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('works without JavaScript, by plain forms', async () => {
    const { url, handle, profile } = await begin();
    const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, locale: 'ja' });
    const page = await open(context, `${url}?lang=es`);
    expect(await page.getByRole('button', { name: 'Copiar el código' }).count()).toBe(0);
    const check = async () => {
      await page.getByLabel('Tu nombre de usuario en Instagram').fill(handle);
      await page.getByRole('button', { name: 'Comprobar mi perfil' }).click();
    };
    await check();
    await page.getByRole('alert').filter({ hasText: 'todavía no está en la biografía' }).waitFor();
    profile.bio = String(await page.locator('code').first().textContent());
    await check();
    await page.getByRole('heading', { name: 'Tu cuenta de Instagram está conectada' }).waitFor();
    await page.getByRole('link', { name: 'Volver a Acme' }).waitFor();
    await context.close();
  });

  it('has no state in which axe finds anything, or which is wider than a phone', async () => {
    const request = {
      id: 'f'.repeat(48),
      externalId: 'user-42'.repeat(10),
      platform: 'instagram',
      handle: null,
      code: 'credence-abcdefghjk',
      checks: 0,
      maxChecks: 10,
      returnUrl: 'https://app.example/me',
      expiresAt: new Date(),
    } as unknown as ConnectionRequest;
    const shown = {
      look: connectLook(BRAND),
      language: 'fr',
      platform: 'Instagram',
      checkSeconds: 20,
      proofUrls: [`https://www.instagram.com/${'a'.repeat(60)}/`],
    } as const;
    const replies = [
      connectPage({ kind: 'pending', request }, shown),
      connectPage({ kind: 'not-found-in-bio', request: { ...request, handle: 'ada' }, handle: 'ada' }, shown),
      connectPage({ kind: 'connected', request: { ...request, handle: 'ada' }, account: null }, shown),
      connectPage({ kind: 'expired', request }, { ...shown, look: connectLook(undefined) }),
      noSuchConnectPage(shown),
      awayPage(503, shown),
    ];
    const page = await browser.newPage();
    for (const { body } of replies) {
      // As it is with JavaScript, and opened up.
      await page.setContent(String(body).replace(' hidden>', '>').replace('<details>', '<details open>'));
      for (const [viewport, colorScheme] of [
        [PHONE, 'light'],
        [DESKTOP, 'dark'],
      ] as const) {
        await page.setViewportSize(viewport);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        await page.emulateMedia({ colorScheme });
        const found = await axeViolations(page);
        expect(found, `${await page.title()}, ${colorScheme}, ${viewport.width} px`).toEqual([]);
      }
    }
    await page.close();
  });

  it('is a page for people, and JSON for programs, when the instance is away', async () => {
    const { url } = await begin();
    const context = await browser.newContext({ viewport: PHONE, locale: 'en-GB' });
    await credence.stop();
    const page = await open(context, url);
    await page.getByRole('heading', { name: 'Try again in a minute.' }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('SERVICE_UNAVAILABLE');
    expect(await (await fetch(url)).json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    await context.close();
  });
});
