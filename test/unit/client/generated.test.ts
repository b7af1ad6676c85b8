import { expect, it } from 'vitest';
import { CLIENT_API_FILE, clientApi } from '../../../tools/client-api.ts';

it('the types and operations of the client are those of the OpenAPI document (`npm run generate:client`)', async () => {
  await expect(await clientApi()).toMatchFileSnapshot(CLIENT_API_FILE);
});
