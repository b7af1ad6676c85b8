#!/usr/bin/env node
/** `npm run simulator`: Instagram, TikTok and a data provider on loopback, for trying Credence without the real ones. */
import { parseArgs } from 'node:util';
import { printable } from 'credence/kit';
import { outliveReaders } from '../standalone/closed-pipe.ts';
import { endWithWrapper } from '../standalone/wrapper.ts';
import { CONTROL_PREFIX } from './control.ts';
import { SIMULATED_PROVIDER_KEY } from './data-provider/site.ts';
import { SIMULATED_APP } from './official/apps.ts';
import { createScenario } from './scenario.ts';
import { createPlatformSimulator, type PlatformSimulator } from './server.ts';
import { SIMULATED_YOUTUBE_KEY } from './youtube/site.ts';

const HELP = `Usage: npx @credence/simulator [options]
In a clone of the repository: npm run simulator -- [options]

Serves a simulated Instagram, TikTok and YouTube on 127.0.0.1: pages, comments, replies, likers, profiles, and on request
the ways in which the real ones refuse; and a data provider that answers about the first two. Stop it with Ctrl-C.

  --port <n>      Instagram's port; TikTok, the data provider and YouTube get the next ones (default 4100; 0 picks free ones)
  --seed <text>   the same seed gives the same world (default "credence")
  --json          print one line of JSON instead of text
  --help          this text

Point Credence at it with INSTAGRAM_BASE_URL, TIKTOK_BASE_URL, INSTAGRAM_SESSION_IDS and SCRAPER_PACING=off; for the data
provider add DATA_PROVIDER_KEY, INSTAGRAM_SOURCES or TIKTOK_SOURCES, and platforms.dataProvider.baseUrl in CONFIG_FILE.
YouTube is registered in code: youtube({ apiKey, baseUrl }). The official APIs are under the addresses of Instagram and TikTok:
set them up as platforms.instagram.official and platforms.tiktok.official in CONFIG_FILE, with baseUrl and the app that is printed.
Shape the world while it runs, by JSON over HTTP on any port. What does not fit gets 400 with the reasons:
  POST   ${CONTROL_PREFIX}comments    adds a comment {platform, contentId, handle, text, replyToIndex?}
  POST   ${CONTROL_PREFIX}bio         sets the bio of a profile {platform, handle, bio}
  POST   ${CONTROL_PREFIX}receivers   tells a platform where to push {platform, url}
  POST   ${CONTROL_PREFIX}failures    switches a failure on {platform, shape, ...}; DELETE switches all off
`;

/** @throws RangeError or an error of `parseArgs` for arguments that cannot be used */
function readArguments() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4100' },
      seed: { type: 'string', default: 'credence' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_532) {
    throw new RangeError(`--port must be a number from 0 to 65532, not ${JSON.stringify(values.port)}.`);
  }
  return { ...values, port: Number(values.port) };
}

async function start({ port, seed, json }: ReturnType<typeof readArguments>): Promise<PlatformSimulator> {
  const scenario = createScenario({ seed });
  const simulator = await createPlatformSimulator({ port, world: scenario.world });
  const { instagramBaseUrl, tiktokBaseUrl, dataProviderBaseUrl, youtubeBaseUrl } = simulator;
  const { instagramSessionId, samples, creators, instagramPost, tiktokPost } = scenario;
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ instagramBaseUrl, tiktokBaseUrl, dataProviderBaseUrl, dataProviderKey: SIMULATED_PROVIDER_KEY, youtubeBaseUrl, youtubeKey: SIMULATED_YOUTUBE_KEY, instagramSessionId, app: SIMULATED_APP, seed, instagramPost, tiktokPost, creators, samples })}\n`,
    );
    return simulator;
  }
  const lines = [
    `Simulated platforms are up (seed ${JSON.stringify(seed)}).`,
    '',
    `  INSTAGRAM_BASE_URL=${instagramBaseUrl}`,
    `  TIKTOK_BASE_URL=${tiktokBaseUrl}`,
    `  INSTAGRAM_SESSION_IDS=${instagramSessionId}`,
    '  SCRAPER_PACING=off',
    `  DATA_PROVIDER_KEY=${SIMULATED_PROVIDER_KEY}`,
    `  The data provider: ${dataProviderBaseUrl}`,
    `  YouTube: ${JSON.stringify({ apiKey: SIMULATED_YOUTUBE_KEY, baseUrl: youtubeBaseUrl })}`,
    `  The app of the official APIs: ${JSON.stringify(SIMULATED_APP)}`,
    '',
    'Worth asking for:',
    ...samples.map(({ url, expect }) => `  ${url}  ${expect}`),
    '',
    'Creators:',
    ...creators.map(({ platform, handle, part }) => `  ${platform} @${handle}  ${part}`),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return simulator;
}

outliveReaders();
try {
  const args = readArguments();
  if (args.help) {
    process.stdout.write(HELP);
  } else {
    endWithWrapper();
    // Before anything is said to be up, so that who waits for that may stop it at once.
    const starting = start(args);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => void starting.then((simulator) => simulator.close()).then(() => process.exit(0)));
    }
    await starting;
  }
} catch (error) {
  process.stderr.write(`${printable(error instanceof Error ? error.message : String(error))}\n`);
  const isOfArguments = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
  process.exitCode = error instanceof RangeError || isOfArguments ? 2 : 1;
}
