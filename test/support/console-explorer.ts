/** A person at the keyboard: types into each field of a page and presses each button, also in what then appears. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

/** The pages as the console lists them, so that none is forgotten. */
export const CONSOLE_PAGES = [
  ...readFileSync(new URL('../../plugins/console/app/pages.tsx', import.meta.url), 'utf8').matchAll(/path: '([^']+)'/g),
].map(([, path = '']) => path);

const FIELDS = 'input:not([type=hidden]), textarea, select';
const BUTTONS = 'button:not([aria-hidden=true], [role=tab])';
/** Last: what a tab hides can be reached no more. */
const TABS = '[role=tab]';
const FOLDED = 'details:not([open]) > summary';
const NUMBERS = /\d+/g;

/** How long a page may move under a list that is open. */
const MOVES_MS = 1_500;

export interface Explored {
  /** Each field that was filled in, by its label. */
  readonly fields: readonly string[];
  /** Each button that was pressed. */
  readonly buttons: readonly string[];
  /** The fields that did not keep what was typed, and the buttons after which the page was gone. */
  readonly faults: readonly string[];
}

interface Found {
  /** Among those of its kind. */
  readonly at: number;
  readonly name: string;
  readonly kind: string;
}

/**
 * Explores the page that is shown. Questions before an action are answered with Escape.
 * @param url what is typed where a URL is asked for
 */
export async function explore(page: Page, url: string): Promise<Explored> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const here = await page.evaluate<string>('location.hash');
  const fields = new Set<string>();
  const buttons = new Set<string>();
  const faults: string[] = [];
  const isNew = ({ name }: Found, known: Set<string>) => name !== '' && !known.has(name) && known.add(name);
  /** How many options of a field were chosen. What an option brings is filled in before the next one. */
  const chosen = new Map<string, number>();
  for (;;) {
    const dialog = page.getByRole('dialog');
    const isAsked = (await dialog.count()) > 0;
    const place = isAsked ? dialog : page.locator('main');
    for (const folded = place.locator(FOLDED); (await folded.count()) > 0; ) await folded.first().press('Enter');
    // The same name in a dialog is another field.
    const scope = isAsked ? `${await dialog.getByRole('heading').first().textContent()}: ` : '';
    const found = await find(place, FIELDS, scope);
    const plain = found.filter(({ kind, name }) => kind !== 'choice' && name !== '' && !fields.has(name));
    const choice = found.find(({ kind, name }) => kind === 'choice' && !fields.has(name));
    if (plain.length > 0) {
      const filled = await fill(page, place, plain, url);
      for (const name of filled.names) fields.add(name);
      faults.push(...filled.faults);
    } else if (choice !== undefined) {
      const { name, at } = choice;
      const option = chosen.get(name) ?? 0;
      chosen.set(name, option + 1);
      const result = await chooseOption(page, place.locator(FIELDS).nth(at), option);
      if (result !== 'chosen') fields.add(name);
      if (result === 'lost') faults.push(`${name}: does not hold option ${option}`);
    } else if (isAsked) {
      // What is shown once stays until its button is pressed.
      const last = await place.getByRole('button').last().textContent();
      if (last === 'I have stored it') await place.getByRole('button').last().press('Enter');
      else await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    } else {
      const isInMenu = (await page.getByRole('menuitem').count()) > 0;
      const pressed = await pressNew(place, (found) => isNew(found, buttons));
      // A menu closes with each of its items.
      if (isInMenu && pressed) buttons.delete('More actions');
      if (!pressed) return { fields: [...fields], buttons: [...buttons], faults };
    }
    await settle(page);
    if ((await page.getByRole('heading', { level: 1 }).count()) > 0) {
      if ((await page.evaluate('location.hash')) !== here) await goTo(page, here);
      continue;
    }
    const after = [...(plain.length > 0 ? fields : buttons)].at(-1);
    return { fields: [...fields], buttons: [...buttons], faults: [...faults, `${after}: the page is gone`] };
  }
}

/** Opens a page by the part after `#`, and waits until it has loaded. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`if (location.hash !== ${JSON.stringify(hash)}) location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settle(page);
}

/** Asks from outside: the page's policy lets nothing wait inside it. */
async function settle(page: Page): Promise<void> {
  const busy = page.locator(':is(main, [role=dialog]) :is(.mantine-Loader-root, [data-loading]):visible');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  while ((await busy.count()) > 0) await page.waitForTimeout(20);
}

/** The part of a field or button that is read in the browser. */
interface Control {
  readonly type: string;
  readonly readOnly?: boolean;
  readonly labels?: ArrayLike<{ readonly textContent: string }>;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  checkVisibility(): boolean;
  matches(selector: string): boolean;
}

/** What can be used now. Numbers in names are left out: rows are alike. */
async function find(place: Locator, selector: string, scope = ''): Promise<Found[]> {
  const found = await place.locator(selector).evaluateAll((controls: Control[]) =>
    controls.flatMap((control, at) => {
      if (control.matches(':disabled') || (control.type !== 'file' && !control.checkVisibility())) return [];
      const label = control.getAttribute('aria-label') ?? control.labels?.[0]?.textContent ?? control.textContent;
      const isChoice = control.getAttribute('aria-haspopup') === 'listbox' && control.readOnly === true;
      return [{ at, name: label.replace(' *', '').trim() || control.type, kind: isChoice ? 'choice' : control.type }];
    }),
  );
  return found.map((one) => ({ ...one, name: scope + one.name.replaceAll(NUMBERS, 'n') }));
}

/** Presses the first button that is new. Returns false if there is none. */
async function pressNew(place: Locator, isNew: (found: Found) => unknown): Promise<boolean> {
  for (const selector of [BUTTONS, TABS]) {
    const button = (await find(place, selector)).find(isNew);
    if (button === undefined) continue;
    await place.locator(selector).nth(button.at).press('Enter');
    return true;
  }
  return false;
}

/** Fills in one field after the other, until the page shows others. Returns the names of those, and what is wrong. */
async function fill(page: Page, place: Locator, found: readonly Found[], url: string) {
  const names: string[] = [];
  const faults: string[] = [];
  const shown = JSON.stringify(await find(place, FIELDS));
  for (const field of found) {
    if (names.includes(field.name)) continue;
    const fault = await type(page, place.locator(FIELDS).nth(field.at), field, url);
    if (fault !== null) faults.push(`${field.name}: ${fault}`);
    names.push(field.name);
    if (JSON.stringify(await find(place, FIELDS)) !== shown) break;
  }
  return { names, faults };
}

/** Returns what is wrong, or null. */
async function type(page: Page, field: Locator, { name, kind }: Found, url: string): Promise<string | null> {
  if (kind === 'file') {
    const buffer = Buffer.from('externalId,platform,handle\nuser-9,tiktok,nobody.there\n');
    await field.setInputFiles({ name: 'some.csv', mimeType: 'text/csv', buffer });
    await settle(page);
    return null;
  }
  if (kind === 'checkbox') {
    const before = await field.isChecked();
    await field.press('Space');
    await settle(page);
    return (await field.isChecked()) === before ? 'stays as it was' : null;
  }
  const texts: Readonly<Record<string, readonly [typed: string, kept: string]>> = {
    url: [url, url],
    number: ['12', '12'],
    'datetime-local': ['010220260930AM', '2026-01-02T09:30'],
    search: ['Acme', 'Acme'],
  };
  const plain = name === 'Headers' ? 'abc: 1' : 'abc';
  const [typed, kept] = texts[kind] ?? [plain, plain];
  await field.press('Control+A');
  // Each key is an event of its own: a field that is read too late fails at the second one.
  await field.pressSequentially(typed);
  await settle(page);
  const [held] = await field.evaluateAll((found: (Control & { readonly value: string })[]) =>
    found.map((one) => ({ value: one.value, role: one.getAttribute('role') })),
  );
  if (held === undefined) return 'is gone';
  const { value, role } = held;
  if (role === 'combobox') {
    await choose(page, field);
    await settle(page);
  }
  return value === kept ? null : `holds ${JSON.stringify(value)} after ${JSON.stringify(typed)}`;
}

/** Takes the option that the text leaves, or none. */
async function choose(page: Page, field: Locator): Promise<void> {
  await field.press('ArrowDown');
  await field.press('Enter');
  await page.keyboard.press('Tab');
}

/** `over`: there are no more options. A list closes when its field moves off the screen, and is opened again then. */
async function chooseOption(page: Page, field: Locator, at: number): Promise<'chosen' | 'lost' | 'over'> {
  const options = page.getByRole('option');
  for (;;) {
    await field.press('ArrowDown');
    if (!(await becomes(options.first(), 'visible'))) continue;
    const option = (await options.allTextContents())[at];
    if (option === undefined) await page.keyboard.press('Escape');
    else if (
      !(await options
        .nth(at)
        .click({ timeout: MOVES_MS })
        .then(
          () => true,
          () => false,
        ))
    )
      continue;
    // A key that comes while the list closes is taken for it.
    await becomes(options.first(), 'hidden');
    if (option === undefined) return 'over';
    return (await field.inputValue()) === option ? 'chosen' : 'lost';
  }
}

const becomes = (element: Locator, state: 'visible' | 'hidden') =>
  element.waitFor({ state, timeout: MOVES_MS }).then(
    () => true,
    () => false,
  );
