/** A campaign on a platform from outside, from creation to reward; prints what came of it as one line of JSON. */
import { createCredence, silentLogger } from 'credence';
import { toy } from './toy.js';
import { createToyServer } from './toy-server.js';

const server = await createToyServer();
const post = server.addPost({
  comments: 120,
  replies: { every: 40, count: 2 },
  placed: { index: 77, handle: 'Ada.L', text: 'Count me in!' },
});
const credence = createCredence(
  { storage: 'sqlite::memory:', platforms: [toy({ baseUrl: server.baseUrl, pacing: 'off' })] },
  { logger: silentLogger },
);
const rewarded = new Promise((resolve) => {
  credence.on('reward.issued', async ({ data }) => resolve(data), { name: 'points-ledger' });
});
await credence.start();
const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
const { user } = await credence.creators.register({ externalId: 'ext-ada', platform: 'toy', handle: '@ada.l' });
const campaign = await credence.campaigns.create({
  brandId: brand.id,
  title: 'Toys',
  pointsReward: 50,
  challenge: { targetUrl: `https://www.toy.example/posts/${post.id}?ref=mail` },
});
const challengeId = campaign.challenge.id;
const attempt = await credence.attempts.create({ challengeId, userId: user.id });
await credence.attempts.progress({ challengeId, attemptId: attempt.id, action: 'claim_completion' });
const { points, platform, username } = await rewarded;
const { state } = await credence.attempts.get({ challengeId, attemptId: attempt.id });
const stats = await credence.lookups.post({ url: toyUrl(post) });
const refused = await credence.creators
  .register({ externalId: 'ext-bob', platform: 'instagram', handle: 'bob' })
  .catch(({ code }) => code);
const document = await (await credence.fetch(new Request('http://localhost/openapi.json'))).json();
const named = document.components.schemas.Challenge.properties.platform.enum;
await credence.stop();
await server.close();
console.log(JSON.stringify({ points, platform, username, state, comments: stats.stats.comments, refused, named }));

function toyUrl({ id }) {
  return `https://toy.example/posts/${id}`;
}
