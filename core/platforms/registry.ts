/** The platforms that an instance knows: the one place where a name, a host or a URL is told from another platform's. */
import { DomainError } from '../errors.ts';
import { type PlatformDescriptor, type PostUrlForm, parseHandleOf } from './descriptor.ts';
import type { PlatformName } from './platform-name.ts';
import { type PostRef, parseWebUrl, type ShortLink } from './post-url.ts';

/** The registered platforms. */
export interface PlatformRegistry {
  /** In the order of registration; at least one. */
  readonly names: readonly [PlatformName, ...PlatformName[]];
  /** @throws DomainError `NOT_SUPPORTED` for a platform that is not registered */
  describe(name: PlatformName): PlatformDescriptor;
  /** The platform's label for people; the name of one that is not registered any more. */
  labelOf(name: PlatformName): string;
  /**
   * Reads a post URL of any platform. Hosts are compared exactly; only http and https, without credentials or a port. Null for
   * everything else: profiles, stories, look-alike hosts, text that is no URL.
   */
  parsePostUrl(text: string): PostRef | ShortLink | null;
  /** A post's URL for show, once its owner is known. */
  shownPostUrl(post: PostRef, ownerHandle: string): string;
  /**
   * The normalised handle, or null when the text cannot be a handle on the platform.
   * @throws as `describe`; DomainError `INVALID_REQUEST` for a text that looks like one and is something else, with the reason
   */
  parseHandle(name: PlatformName, raw: string): string | null;
  /** All forms of post URLs and short links, for messages. */
  readonly postUrlForms: readonly PostUrlForm[];
}

const NAME = /^[a-z][a-z0-9]{1,19}$/;
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** What keeps these platforms from being registered together, one sentence each; empty if nothing does. */
export function registryProblems(descriptors: readonly PlatformDescriptor[]): string[] {
  const problems = descriptors.length === 0 ? ['Register at least one platform.'] : [];
  const names = new Set<string>();
  const owners = new Map<string, string>();
  for (const { name, hosts } of descriptors) {
    if (!NAME.test(name)) {
      problems.push(`The platform name ${JSON.stringify(name)} is not 2 to 20 lower-case letters and digits.`);
    }
    if (names.has(name)) problems.push(`Two platforms are named ${name}: register each once.`);
    names.add(name);
    for (const host of new Set(hosts)) {
      const owner = owners.get(host);
      if (!HOST.test(host)) problems.push(`The platform ${name} has an unusable host: ${JSON.stringify(host)}.`);
      else if (owner !== undefined && owner !== name) {
        problems.push(`The host ${host} belongs to two platforms, ${owner} and ${name}.`);
      }
      owners.set(host, name);
    }
  }
  return problems;
}

/** @throws TypeError naming the first of `registryProblems` */
export function createPlatformRegistry(descriptors: readonly PlatformDescriptor[]): PlatformRegistry {
  const [problem] = registryProblems(descriptors);
  const [first, ...others] = descriptors;
  if (problem !== undefined || first === undefined) throw new TypeError(problem);
  const byName = new Map(descriptors.map((each) => [each.name, each]));
  const byHost = new Map(descriptors.flatMap((each) => each.hosts.map((host) => [host, each])));

  function describe(name: PlatformName): PlatformDescriptor {
    const descriptor = byName.get(name);
    if (descriptor === undefined) {
      throw new DomainError('NOT_SUPPORTED', `The platform ${name} is not configured here.`);
    }
    return descriptor;
  }

  return {
    names: [first.name, ...others.map(({ name }) => name)],
    describe,
    labelOf: (name) => byName.get(name)?.label ?? name,
    parsePostUrl(text) {
      const url = parseWebUrl(text);
      return url === null ? null : (byHost.get(url.hostname)?.parseUrl(url) ?? null);
    },
    shownPostUrl: ({ platform, canonicalUrl }, ownerHandle) =>
      byName.get(platform)?.shownUrl?.(canonicalUrl, ownerHandle) ?? canonicalUrl,
    parseHandle(name, raw) {
      const descriptor = describe(name);
      const why = descriptor.whyNoHandle?.(raw.trim()) ?? null;
      if (why === null) return parseHandleOf(descriptor, raw);
      const issues = [{ path: 'handle', message: why }];
      throw new DomainError('INVALID_REQUEST', why, { details: { issues } });
    },
    postUrlForms: descriptors.flatMap(({ postUrlForms }) => postUrlForms),
  };
}
