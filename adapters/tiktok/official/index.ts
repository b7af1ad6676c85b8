/** TikTok's own API for business accounts: the API for Business. */
import { checkOptions } from '../../../core/configuration-error.ts';
import type { OfficialApi } from '../../../core/ports/official-api.ts';
import { createOfficialReader, type OfficialAppOptions } from '../../official/index.ts';
import { createScrapingClient, type ScrapingContext } from '../../scraping/index.ts';
import { tiktokDescriptor } from '../descriptor.ts';
import { createDialect } from './dialect.ts';
import { createLogin } from './login.ts';
import { officialTikTokOptionsSchema, RATES } from './options.ts';
import { createPush } from './push.ts';

/**
 * The accounts of TikTok that brands connect, for `platforms.tiktok.official`.
 * @throws ConfigurationError that names the option
 */
export function officialTikTok(options: OfficialAppOptions): OfficialApi {
  const settings = checkOptions('officialTikTok', officialTikTokOptionsSchema, options);
  const createClient = (context: Partial<ScrapingContext> = {}) =>
    createScrapingClient({
      ...settings,
      ...context,
      platform: tiktokDescriptor,
      baseUrl: settings.baseUrl ?? 'https://business-api.tiktok.com',
      rates: RATES,
      headers: { accept: 'application/json' },
    });
  const client = createClient();
  const { subscribe, ...login } = createLogin(client, settings);

  return {
    platform: tiktokDescriptor.name,
    redirectUris: settings.redirectUris,
    accounts: settings.accounts,
    ...login,
    push: { ...createPush(settings), subscribe },
    contentIdOf: async (_account, postApiId) => postApiId,
    createReader: (context, accounts) => createOfficialReader(createDialect(settings), createClient(context), accounts),
    close: () => client.close(),
  };
}
