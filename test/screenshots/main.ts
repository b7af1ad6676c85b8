/** `npm run screenshots`: pictures of the console for the documents, from a demo that is kept running. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { findChromium, launchChromium } from '../support/chromium.ts';

const USAGE = `Credence, screenshots.

Usage: npm run screenshots [-- [--to FOLDER] [--help]]

  --to FOLDER  where the pictures go; docs/images by default

Runs the demo, opens its console in headless Chromium, and takes pictures at desktop and phone width.`;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly heading: string;
  readonly width: number;
  readonly height: number;
}

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const PICTURES: readonly Picture[] = [
  { name: 'console-campaign', path: '/campaigns/1', heading: 'Trail day on instagram', ...DESKTOP },
  { name: 'console-participants', path: '/campaigns/1/participants', heading: 'Participants', ...PHONE },
];

const { values } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' }, to: { type: 'string', default: 'docs/images' } },
});

if (values.help) {
  console.log(USAGE);
} else {
  const program = findChromium();
  if (program === undefined) process.exit(1);
  const demo = spawn(
    process.execPath,
    [
      '--conditions=credence-source',
      fileURLToPath(new URL('../../hosts/demo/main.ts', import.meta.url)),
      '--keep',
      '--json',
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    console.log('The demo runs first; it takes half a minute.');
    const link = await signInLink(demo.stdout);
    const browser = await launchChromium(program);
    for (const picture of PICTURES) console.log(await take(browser, link, picture, values.to));
    await browser.close();
  } finally {
    demo.kill('SIGINT');
    if (demo.exitCode === null) await once(demo, 'exit');
  }
}

async function signInLink(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    output.resume();
    return `${url}/console#token=${token}`;
  }
  throw new Error('The demo ended before it named the address of its console.');
}

/** Returns the path of the picture. */
async function take(browser: Browser, link: string, picture: Picture, folder: string): Promise<string> {
  const { name, path, heading, width, height } = picture;
  const page = await browser.newPage({ viewport: { width, height } });
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.waitForLoadState('networkidle');
  // Charts grow for a moment.
  await page.waitForTimeout(1_500);
  const file = `${folder}/${name}.png`;
  await page.screenshot({ path: file });
  await page.close();
  return file;
}
