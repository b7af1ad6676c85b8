/** Express with its own sessions in front of everything. */
import type { AddressInfo } from 'node:net';
import { createCredence, silentLogger } from 'credence';
import { credenceExpress } from 'credence/express';
import express, { type Request } from 'express';
import { config, identify, keepLedger, launch, listening, userOf, type WithUser } from './team.js';

const credence = createCredence(config, { identify, logger: silentLogger });
const points = keepLedger(credence);

const app = express();
app.set('trust proxy', 'loopback');
app.use((request: Request & WithUser, response, next) => {
  const user = userOf(request.headers.cookie);
  if (user === undefined) {
    response.status(401).json({ team: 'sign in first' });
  } else {
    request.user = user;
    next();
  }
});
app.use('/engagement', credenceExpress(credence));
app.use(express.json());
app.post('/launch', async (request, response) => {
  response.json(await launch(credence, request.body.targetUrl));
});
app.get('/points', (request: Request & WithUser, response) => {
  response.json({ points: points.get(request.user?.name ?? '') ?? 0 });
});

await credence.start();
const server = app.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));
process.once('SIGTERM', () => server.close(() => credence.stop()));
