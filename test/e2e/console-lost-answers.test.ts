/** The console when an answer is lost or late: nothing is made twice, and nothing that was made stays unseen. */
import type { Cookie, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../support/chromium.ts';
import { type ConsoleWorld, startConsoleWorld } from '../support/console-world.ts';
import { jsonAnswer } from '../support/tls-origin.ts';

vi.setConfig({ testTimeout: 60_000 });

const program = findChromium();
/** Between two keys. */
const KEY_MS = 25;

describe.skipIf(program === undefined)('the console when an answer is lost or late', () => {
  let world: ConsoleWorld;
  let page: Page;
  let session: Cookie[];

  beforeAll(async () => {
    world = await startConsoleWorld(program as string, jsonAnswer({ price: 7 }), /./);
    page = await world.newPage();
    await world.signIn(page);
    session = await page.context().cookies();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await page.close();
    page = await world.newPage();
    await page.context().addCookies(session);
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });

  async function open(hash: string): Promise<void> {
    await page.goto(world.url + hash);
    await button('Sign out').waitFor();
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
});
