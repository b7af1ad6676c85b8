/** A real browser: Debian's headless Chromium, if the machine has one. */
import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** The program, or undefined: then its tests are skipped, unless `CREDENCE_REQUIRE_CHROMIUM` says that they must run. */
export function findChromium(): string | undefined {
  const found = NAMES.find((name) => spawnSync(name, ['--version']).status === 0);
  if (found !== undefined) return found;
  if (process.env.CREDENCE_REQUIRE_CHROMIUM)
    throw new Error('CREDENCE_REQUIRE_CHROMIUM is set, but there is no Chromium.');
  const line = '='.repeat(100);
  console.warn(`${line}\n  NO CHROMIUM: the tests in a browser are SKIPPED. Install chromium-headless-shell.\n${line}`);
  return undefined;
}

/** Few processes: each that draws a page compiles all of its scripts. And no name is looked up: what is elsewhere fails at once. */
const ARGUMENTS = [
  '--no-sandbox',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** Starts the program that `findChromium` found, to be driven by Playwright. */
export function launchChromium(program: string): Promise<Browser> {
  const executablePath = spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).stdout.trim();
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

const ORIGIN = 'https://app.test';

/**
 * Loads a script into a page, then evaluates an expression about its exports (`bundle`) and `given`. Plain data comes back.
 * @param api the URL of a server that the page finds at its own origin, under `/api`
 */
export async function runInChromium(program: string, script: string, expression: string, given: unknown, api?: string) {
  const browser = await launchChromium(program);
  try {
    const page = await browser.newPage();
    await page.route(`${ORIGIN}/**`, async (route) => {
      const url = route.request().url();
      if (api === undefined || !url.startsWith(`${ORIGIN}/api/`)) return route.fulfill({ contentType: 'text/html' });
      return route.fulfill({ response: await route.fetch({ url: url.replace(`${ORIGIN}/api`, api) }) });
    });
    await page.goto(ORIGIN);
    await page.addScriptTag({ content: script });
    const json = await page.evaluate(
      async ([expression, given]) => JSON.stringify(await new Function('given', `return ${expression}`)(given)),
      [expression, given] as const,
    );
    return JSON.parse(json);
  } finally {
    await browser.close();
  }
}
