/**
 * The name of a registered platform, for example in stored data and requests. A text: which names exist is decided by the
 * descriptors that an instance is made with, and checked where requests come in.
 */
export type PlatformName = string;
