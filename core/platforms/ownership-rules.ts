/**
 * What shows that somebody controls a profile of a platform: which request, and where in its answer. Data only; each
 * platform's descriptor has its rules, and `profileEvidence` is the one reader of all of them.
 */
/** A step into every element of an array. */
export const EACH = Symbol('each element');
/** Stands for the handle in a path or for the value of a parameter. */
export const HANDLE = '{handle}';

/** The name of a member, the index of an element, or every element. */
export type JsonStep = string | number | typeof EACH;

/** Where an answer has the profile. */
export interface ProfileObject {
  /** The way from the root of the JSON to the object. `EACH` is for pages only. */
  readonly at: readonly JsonStep[];
  /** The name of the member that holds the handle. */
  readonly handle: string;
  /** Names of members that hold the stable account id; those that the answer has must agree. None: the answer has no id. */
  readonly accountId: readonly string[];
}

interface Endpoint {
  /** Host names in lower case. The port is 443. */
  readonly hosts: readonly [string, ...string[]];
  /** Without a trailing slash; the request may have one. It may hold `HANDLE`. */
  readonly path: string;
  /** The parameters that may occur, each once, and the values that they may have. */
  readonly query: Readonly<Record<string, RegExp | typeof HANDLE>>;
}

/** Shows the public profile of the handle that the request names. Its bio has the one-time code. */
export interface ProfileEndpoint extends Endpoint {
  readonly profile: ProfileObject & { readonly bio: string };
  /** The answer is a page, with its JSON in the script elements with these attributes; otherwise the answer is JSON. */
  readonly script?: Readonly<Record<string, string>>;
}

/** Answers, in JSON, about the logged-in account. The request shows the one-time code. */
export interface OwnAccountEndpoint extends Endpoint {
  readonly profile: ProfileObject;
  /** The address to prove, for people. */
  readonly url: string;
}

/** The requests of a platform whose answers show who controls a profile. */
export interface OwnershipRules {
  /** Request headers besides the usual ones of a browser; lower case. */
  readonly headers: readonly string[];
  readonly profiles: readonly ProfileEndpoint[];
  readonly ownAccount: readonly OwnAccountEndpoint[];
}
