/** `/docs` below a prefix, in a real browser: the interactive reader. */
import { createServer } from 'node:http';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credence, createCredence, silentLogger } from '../../plugins/compose/index.ts';
import { credenceExpress } from '../../plugins/express/index.ts';
import type { OpenApiDocument } from '../../plugins/http/openapi.ts';
import { axeViolations } from '../support/axe.ts';
import { DESKTOP, findChromium, launchChromium, PHONE } from '../support/chromium.ts';
import { type Listening, listen } from '../support/listen.ts';

const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0002';
const program = findChromium();

describe.skipIf(program === undefined)('/docs in a browser', () => {
  let credence: Credence;
  let server: Listening;
  let browser: Browser;
  let docs: string;
  /** Every kind of element; loading and checking the whole document takes many seconds. */
  let short: OpenApiDocument;
  let reader: Page;
  /** What the console said of policies and failures, and what was asked of other servers. */
  const problems: string[] = [];

  beforeAll(async () => {
    credence = createCredence({ storage: 'sqlite::memory:', adminToken: ADMIN_TOKEN }, { logger: silentLogger });
    await credence.start();
    server = await listen(createServer(express().use('/some/prefix', credenceExpress(credence))));
    docs = `${server.url}/some/prefix/docs`;
    const answer = await fetch(docs.replace(/docs$/, 'openapi.json'));
    const document = (await answer.json()) as OpenApiDocument;
    const { '/admin/brands': brands = {}, '/campaigns': { get: listed } = {} } = document.paths ?? {};
    const groups = ['Brands and webhooks', 'Campaigns'];
    const tags = document.tags?.filter(({ name }) => groups.includes(name));
    // The reader draws the first group at once.
    const campaigns = { get: { ...listed, tags: groups } };
    short = { ...document, tags, paths: { '/admin/brands': brands, '/campaigns': campaigns }, webhooks: {} };
    browser = await launchChromium(program as string);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await credence.stop();
  });

  async function open(url: string, viewport: { width: number; height: number }): Promise<Page> {
    const page = await browser.newPage({ viewport });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(new URL(docs).origin) && !url.startsWith('data:')) problems.push(url);
    });
    await page.route('**/openapi.json', (route) => route.fulfill({ json: short }));
    await page.goto(url);
    return page;
  }

  // One page for all of the reader: loading it costs more than anything that is done in it.
  it('has a reader in which axe finds nothing, light on desktops and dark on phones', async () => {
    reader = await open(docs, DESKTOP);
    // The reader shows what is scrolled to; these buttons are one of the things that are repaired.
    const scrolled = async () => {
      await reader.mouse.wheel(0, 20_000);
      return reader.getByRole('button', { name: /^Show More: Show all / }).count();
    };
    await expect.poll(scrolled, { timeout: 30_000 }).toBeGreaterThan(0);
    const list = reader.getByRole('group').filter({ has: reader.getByRole('button', { name: 'get /campaigns)' }) });
    // No filter that nobody asked for.
    await expect.poll(() => list.textContent()).toContain(`curl ${new URL('campaigns', docs).href} `);
    await expectNoViolations(reader, [
      ['light', DESKTOP],
      ['dark', PHONE],
    ]);
  });

  it('finds an operation on a phone, shows a call of it, and calls it', async () => {
    const page = reader;
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'Open Menu' }).click();
    await page
      .getByRole('button', { name: /Search/ })
      .first()
      .click();
    await page.keyboard.insertText('create a brand');
    await page.getByRole('option', { name: /Create a brand/ }).click();
    const samples = page.getByRole('group').filter({ has: page.getByRole('button', { name: 'post /admin/brands)' }) });
    await samples.waitFor();
    expect(page.url()).toMatch(/#tag\/brands-and-webhooks\/POST\/admin\/brands$/);
    await expect.poll(() => samples.textContent()).toContain(`curl ${new URL('admin/brands', docs).href}`);
    expect(await widthOf(page)).toBe(PHONE.width);

    await samples.getByRole('button', { name: 'post /admin/brands)' }).click();
    await page.getByPlaceholder('Token').last().fill(ADMIN_TOKEN);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: /^Send/ }).last().click();
    expect((await answered).status()).toBe(201);
    expect(await credence.brands.list()).toMatchObject([{ slug: 'acme' }]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('leads to the document without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE });
    const page = await context.newPage();
    await page.goto(docs);
    await page.getByRole('link', { name: 'openapi.json' }).click();
    await page.waitForURL(docs.replace(/docs$/, 'openapi.json'));
    await context.close();
  });
});

async function expectNoViolations(page: Page, looks: readonly (readonly ['light' | 'dark', typeof PHONE])[]) {
  for (const [colorScheme, viewport] of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    // Of names and roles colours change nothing.
    const found = await axeViolations(page, undefined, colorScheme === 'light' ? undefined : ['color-contrast']);
    expect(found, `${colorScheme}, ${viewport.width} px`).toEqual([]);
  }
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth');
}
