/** Computes the base64 text of the 32 bytes for a message, which may come in parts. */
export type KeyedHmac = (...parts: readonly Uint8Array[]) => string;

/** Port: HMAC-SHA256 under a key that signs many messages. */
export type HmacSha256 = (key: Uint8Array) => KeyedHmac;
