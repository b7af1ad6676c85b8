/** Content codings of HTTP bodies that can be undone. */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd';

/**
 * Undoes content codings. Data is hostile: an implementation must stop as soon as the output passes `maxLength`, so that
 * a small body cannot ask for much memory.
 */
export interface ContentDecoder {
  /** What it can undo; all codings by default. A body in another one is not known. */
  readonly codings?: readonly ContentCoding[];
  /**
   * `deflate` is the zlib format; raw deflate, which some servers send under that name, is accepted too.
   * @throws DomainError `INTERNAL_SERVER_ERROR` when the data is malformed, cut short, followed by other data, or larger
   * than `maxLength` bytes when decoded.
   */
  decode(coding: ContentCoding, bytes: Uint8Array, maxLength: number): Promise<Uint8Array>;
}
