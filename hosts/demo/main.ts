/** `npm run demo`: plays a whole campaign on loopback and tells what happened; exits 0 only if every expectation held. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { playCampaign } from './campaign-act.ts';
import { setStage } from './stage.ts';
import { createStory, type Story } from './story.ts';
import { playWebProof } from './web-proof-act.ts';
import { playZeroKnowledge } from './zk-act.ts';

const USAGE = `Usage: npm run demo -- [options]

Starts simulated platforms, the standalone host on a temporary SQLite file and a webhook receiver, all on loopback. Plays
a campaign, a web proof and a zero-knowledge proof through the client.

  --keep   leave everything running afterwards, for exploring; Ctrl-C ends it
  --json   print where it runs, its token and what failed as JSON; the story goes to standard error
  --help   this text`;

const { values } = parseArgs({
  options: { keep: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});

if (values.help) console.log(USAGE);
else
  process.exitCode = (await run(createStory(values.json ? console.error : console.log), values.keep === true)) ? 0 : 1;

async function run(story: Story, keep: boolean): Promise<boolean> {
  const started = performance.now();
  story.act('Setting the stage');
  const stage = await story.step(
    'start platforms, host and receiver',
    () => setStage(),
    ({ baseUrl }) => baseUrl,
  );
  try {
    await playCampaign(stage, story);
    await playZeroKnowledge(stage, story, await playWebProof(stage, story));
    const { failed } = story;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const lines = failed.map((text) => `\n  ✗ ${text}`).join('');
    story.act(failed.length === 0 ? `All expectations held, in ${seconds} s.` : `These did not hold:${lines}`);
    if (values.json) console.log(JSON.stringify({ url: stage.baseUrl, token: stage.adminToken, failed }));
    if (keep) {
      story.act(
        `Still running at ${stage.baseUrl} (documents at /openapi.json).\n  The console, with a link that signs you in: ${stage.baseUrl}/console#token=${stage.adminToken}\n  export TOKEN=${stage.adminToken}\n  curl -s ${stage.baseUrl}/admin/creators -H "authorization: Bearer $TOKEN"\nCtrl-C ends it.`,
      );
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    }
    return failed.length === 0;
  } finally {
    await stage.close();
  }
}
