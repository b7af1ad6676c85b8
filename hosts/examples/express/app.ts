/** Express with Credence below `/engagement`. */
import type { AddressInfo } from 'node:net';
import { createCredence } from 'credence';
import { credenceExpress } from 'credence/express';
import express from 'express';

const { ADMIN_TOKEN, PORT = '3000', STORAGE_URL = 'sqlite:./data/credence.db' } = process.env;

const credence = createCredence({ storage: { url: STORAGE_URL }, adminToken: ADMIN_TOKEN });
const app = express();
app.use('/engagement', credenceExpress(credence)); // before express.json(): Credence reads bodies itself
app.use(express.json());
app.get('/', (_request, response) => {
  response.json({ hello: 'my own route' });
});

const { generatedAdminToken } = await credence.start();
if (generatedAdminToken) console.log(`admin token, shown only now: ${generatedAdminToken}`);
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://localhost:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => server.close(() => credence.stop()));
