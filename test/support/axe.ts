/** Axe, which looks for what keeps people from using a page. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Only what is wrong is gone into. */
const OPTIONS = { resultTypes: ['violations'], selectors: false };

/**
 * What axe finds in the page as it is now: the rule that is broken, and the first element that breaks it.
 * @param within a CSS selector of one part, whose rules alone are checked; the whole page by default
 * @param rules the names of the only rules that are checked; all by default
 */
export async function axeViolations(page: Page, within?: string, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  }
  const context = within === undefined ? 'document' : JSON.stringify(within);
  const options = JSON.stringify(rules === undefined ? OPTIONS : { ...OPTIONS, runOnly: rules });
  return page.evaluate<string[]>(
    `axe.run(${context}, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`,
  );
}
