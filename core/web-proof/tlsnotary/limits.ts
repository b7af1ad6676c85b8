/**
 * Bounds on what a presentation may hold. Published ones are 5 to 9 KB with transcripts below 4 KB. These are generous,
 * and small enough that no presentation can ask for much memory or time.
 */
export const LIMITS = {
  /** Bytes of a whole presentation. */
  presentation: 1024 * 1024,
  /** Bytes of a transcript's direction, hidden ones included. */
  transcript: 1024 * 1024,
  /** Bytes over all hash openings: they may overlap, so a small input could ask for much hashing. */
  hashOpened: 4 * 1024 * 1024,
  /** The same for encodings, of which each byte costs 128 bytes of keystream and hashing. */
  encodingOpened: 512 * 1024,
  /** How often encodings open each byte that is shown, on average; all proofs that we know do it once. */
  encodingOpenings: 4,
  extensions: 64,
  transcriptCommitments: 64,
  ranges: 10_000,
  openings: 4_096,
  merkleHashes: 4_096,
  encodingLeaves: 2 ** 20,
  certificates: 8,
  certificate: 64 * 1024,
  serverName: 253,
  hashValue: 64,
  keyOrSignature: 2_048,
} as const;
