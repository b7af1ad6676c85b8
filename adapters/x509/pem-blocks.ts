const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text, in order; what stands between them does not matter. */
export function pemBlocks(text: string): readonly string[] {
  return text.match(PEM_BLOCK) ?? [];
}

/** The base64 of a block, without its lines. */
export function base64OfPem(block: string): string {
  return block.replace(/-----[^-]+-----|\s/g, '');
}
