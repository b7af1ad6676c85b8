/** The page on which creators connect an account, at `redirectUrl` of a connection request. */
import { z } from 'zod';
import type { ConnectionView } from '../../../core/engagement/connections/check-connection.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import { type DomainError, isDomainError } from '../../../core/errors.ts';
import { late } from '../../../core/late.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { PlatformRegistry } from '../../../core/platforms/registry.ts';
import type { HttpRequest } from '../message.ts';
import type { ConnectBrand } from '../pages/connect/brand.ts';
import { awayPage, type ConnectPageOptions, connectPage, noSuchConnectPage } from '../pages/connect/connect-page.ts';
import { loadConnectScript } from '../pages/connect/connect-script.ts';
import { chooseLanguage } from '../pages/connect/language.ts';
import { connectLook } from '../pages/connect/style.ts';
import { scriptNamed } from '../pages/page-script.ts';
import { fileRoute } from '../pages/static-file.ts';
import { headerOf } from '../request-headers.ts';
import { definePage, type RouteInput } from '../route.ts';

export interface ConnectionRouteDeps extends Pick<Engagement, 'connections'> {
  readonly platforms: PlatformRegistry;
  /** What the page shows at its head; nothing by default. */
  readonly brand?: ConnectBrand | undefined;
}

/** How long the page waits for the platform. */
const CHECK_DEADLINE_MS = 20_000;

/** Two segments below `/connect`, so it is no link of a request; relative to the page it is found behind any prefix. */
const SCRIPT_PATH = '/connect/scripts/{file}';

/** Whatever is there is looked up: who mangled the link gets a page, not JSON. */
const requestParams = z.object({ requestId: z.string().max(2048) });

/** Without a language of ours, `Accept-Language` decides. */
const pageQuery = z.object({ lang: z.string().optional() });

type PageInput = RouteInput<
  z.output<typeof requestParams>,
  z.output<typeof pageQuery>,
  { readonly handle?: string | undefined } | undefined
>;

/** Compressed once for all instances of a process. */
const readScript = late(loadConnectScript);

/** The platform's own pages whose web proof shows who is signed in. */
export function proofUrlsOf(platforms: PlatformRegistry, platform: PlatformName): readonly string[] {
  return platforms.describe(platform).ownership?.ownAccount.map(({ url }) => url) ?? [];
}

const common = { access: 'callback', params: requestParams, query: pageQuery } as const;

/** The rows of the page. */
export function connectPageRoutes(deps: ConnectionRouteDeps) {
  const { connections } = deps;
  const { render, failurePage } = pageRenderer(deps);
  return [
    definePage('showConnectPage', 'GET /connect/{requestId}', {
      ...common,
      statuses: [200, 404, 410],
      failurePage,
      handle: async (input) => render(input, await connections.view(input.params.requestId)),
    }),
    fileRoute('connectScript', SCRIPT_PATH, {
      name: /^connect-[0-9a-f]{16}\.js$/,
      find: (name) => scriptNamed(name, readScript),
      missing: 'There is no script of this name. Load the page again.',
    }),
    // The form of the page: reads the profile, looks for the code in its bio, and links the account if it is there.
    definePage('submitConnectPage', 'POST /connect/{requestId}', {
      ...common,
      body: z.strictObject({ handle: z.string().max(64).optional() }),
      bodyOptional: true,
      form: true,
      maxBodyBytes: 4096,
      statuses: [200, 400, 404, 409, 410, 422, 429, 501, 502, 504],
      failurePage,
      handle: async (input) => {
        const { params, body, signal } = input;
        const options = { signal, deadline: new Date(Date.now() + CHECK_DEADLINE_MS) };
        try {
          return await render(input, await connections.check(params.requestId, body?.handle ?? null, options));
        } catch (error) {
          if (!isDomainError(error) || error.code === 'NOT_FOUND') throw error;
          const page = await render(input, await connections.view(params.requestId), error);
          const { retryAfterSeconds: seconds } = error;
          return seconds === undefined
            ? page
            : { ...page, headers: { ...page.headers, 'retry-after': String(seconds) } };
        }
      },
    }),
  ];
}

function pageRenderer({ platforms, brand }: ConnectionRouteDeps) {
  const look = connectLook(brand);
  const settingOf = (lang?: string, accepted?: string) => ({ look, language: chooseLanguage(lang, accepted) });
  const render = async (input: PageInput, view: ConnectionView, problem?: ConnectPageOptions['problem']) => {
    const { platform } = view.request;
    const script = await readScript();
    return connectPage(view, {
      ...settingOf(input.query.lang, input.header('accept-language')),
      platform: platforms.labelOf(platform),
      typed: input.body?.handle,
      proofUrls: proofUrlsOf(platforms, platform),
      script: script === null ? null : SCRIPT_PATH.replace('/connect/', '').replace('{file}', script.name),
      checkSeconds: CHECK_DEADLINE_MS / 1_000,
      ...(problem === undefined ? {} : { problem }),
    });
  };
  const failurePage = ({ code, status }: DomainError, { params, query, headers }: HttpRequest) => {
    const { lang } = Object.fromEntries(new URLSearchParams(query));
    const setting = settingOf(lang, headerOf(headers, 'accept-language'));
    if (code === 'NOT_FOUND' && params.requestId !== '') return noSuchConnectPage(setting);
    // The script of the page, and other programs, do not ask for a page.
    const isAsked = headerOf(headers, 'accept')?.includes('text/html') === true;
    return isAsked && status >= 500 ? awayPage(status, setting) : undefined;
  };
  return { render, failurePage };
}
