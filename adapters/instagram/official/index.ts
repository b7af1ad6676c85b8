/** Instagram's own API for professional accounts: the Graph API, with Instagram's login or Facebook's. */
import { checkOptions } from '../../../core/configuration-error.ts';
import type { OfficialApi } from '../../../core/ports/official-api.ts';
import { createOfficialReader } from '../../official/index.ts';
import { createScrapingClient, type ScrapingContext } from '../../scraping/index.ts';
import { instagramDescriptor } from '../descriptor.ts';
import { createDialect } from './dialect.ts';
import { createLogin } from './login.ts';
import { type OfficialInstagramOptions, officialInstagramOptionsSchema, RATES } from './options.ts';
import { createPush } from './push.ts';

/**
 * The accounts of Instagram that brands connect, for `platforms.instagram.official`.
 * @throws ConfigurationError that names the option
 */
export function officialInstagram(options: OfficialInstagramOptions): OfficialApi {
  const settings = checkOptions('officialInstagram', officialInstagramOptionsSchema, options);
  const isFacebook = settings.login === 'facebook';
  const host = isFacebook ? 'https://graph.facebook.com' : 'https://graph.instagram.com';
  const createClient = (context: Partial<ScrapingContext> = {}) =>
    createScrapingClient({
      ...settings,
      ...context,
      platform: instagramDescriptor,
      baseUrl: settings.baseUrl ?? host,
      hosts: settings.baseUrl === undefined ? ['api.instagram.com'] : [],
      rates: RATES,
      headers: { accept: 'application/json' },
    });
  const client = createClient();
  const { subscribe, ...login } = createLogin(client, settings);

  return {
    platform: instagramDescriptor.name,
    redirectUris: settings.redirectUris,
    accounts: settings.accounts,
    ...login,
    push: { ...createPush(settings), subscribe },
    createReader: (context, accounts) => createOfficialReader(createDialect(settings), createClient(context), accounts),
    close: () => client.close(),
  };
}
