/** Axe, which looks for what keeps people from using a page. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Only what is wrong is gone into. */
const OPTIONS = JSON.stringify({ resultTypes: ['violations'], selectors: false });

/**
 * What axe finds in the page as it is now: the rule that is broken, and the first element that breaks it.
 * @param within a CSS selector of one part, whose rules alone are checked; the whole page by default
 */
export async function axeViolations(page: Page, within?: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  }
  const context = within === undefined ? 'document' : JSON.stringify(within);
  return page.evaluate<string[]>(
    `axe.run(${context}, ${OPTIONS}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`,
  );
}
