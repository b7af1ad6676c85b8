/** Every page of the console, used by keys in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../support/chromium.ts';
import { CONSOLE_PAGES, explore, goTo } from '../support/console-explorer.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

const program = findChromium();
describe.skipIf(program === undefined)('the console by keys', () => {
  let world: ConsoleWorld;
  let page: Page;
  let url: string;
  const fields = new Set<string>();

  beforeAll(async () => {
    // Much of what is typed is refused.
    world = await startConsoleWorld(program as string, jsonAnswer({ price: 7 }), /status of [45]\d\d/);
    const { instance, scenario, origin } = world;
    const { campaigns, challenges, webhooks } = instance.credence;
    await campaigns.create({
      brandId: 1,
      title: 'Trail day',
      pointsReward: 5,
      challenge: { targetUrl: scenario.tiktokPost.url },
    });
    await challenges.refreshComments({ challengeId: 1 });
    await campaigns.verifyAndReward({ id: 1 });
    await webhooks.test({ brandId: 1, webhookId: 1 });
    page = await world.newPage();
    url = `https://localhost:${origin.port}/order`;
    await page.goto(world.url);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  async function open(path: string): Promise<void> {
    await goTo(page, `#${path.replaceAll(/:\w+/g, '1')}`);
    if ((await page.getByRole('button', { name: 'Sign out' }).count()) > 0) return;
    await page.getByLabel(/^Token/).fill(world.instance.adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await goTo(page, `#${path.replaceAll(/:\w+/g, '1')}`);
  }

  async function expectsNoFaults(path: string): Promise<void> {
    const explored = await explore(page, url);
    for (const field of explored.fields) fields.add(`${path}: ${field}`);
    expect([...explored.faults, ...world.problems.splice(0)]).toEqual([]);
  }

  it('keeps what is typed to sign in', async () => {
    await expectsNoFaults('sign-in');
  });

  it.each(CONSOLE_PAGES)('keeps what is typed into each field of %s, and stays after each button', async (path) => {
    await open(path);
    expect(await page.getByText(/^(Not found|There is no such)/).count()).toBe(0);
    await expectsNoFaults(path);
  });

  it('keeps what is typed into the search of every page', async () => {
    await open('/settings');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await expectsNoFaults('every page');
  });

  // Otherwise the tests above could pass without looking.
  it('finds the fields of forms, filters, dialogs and tabs, and those that follow from an answer', () => {
    expect([...fields]).toEqual(
      expect.arrayContaining([
        'sign-in: Token',
        '/brands: Slug',
        'every page: Search: What to look for',
        '/campaigns/new: mentions at least so many people',
        '/campaigns/new: Draw winners with',
        '/campaigns/:id: Edit the campaign: Title',
        '/campaigns/:id/participants: Add a participant: External id',
        '/creators: Handle',
        '/creators: External id',
        '/creators: Make a connect link: External id',
        '/audit-log: Before',
        '/campaigns: State',
        '/webhooks/:brandId/:webhookId: Edit the webhook: creator.verified',
        '/tokens: Brand',
        '/tokens: External id of the creator',
        '/creators/import: CSV file',
        '/proofs: content-type',
        '/proofs: Values for the contract',
      ]),
    );
  });
});
